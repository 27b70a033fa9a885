{{- define "prefix" -}}
{{ if kindIs "invalid" .Values.prefix }}{{ .Release.Name }}-{{ else }}{{ .Values.prefix }}{{ end }}
{{- end }}

{{/* Of all objects and pods. */}}
{{- define "labels" -}}
app.kubernetes.io/part-of: quayside
app.kubernetes.io/instance: {{ .Release.Name }}
{{- if not .Values.kustomize }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- end }}

{{- define "image" -}}
{{ .root.Values.images.repository }}/{{ .program }}:{{ .root.Values.images.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* The environment of a program: that of every installation, where its neighbours are, and what its `env` says. */}}
{{- define "env" -}}
{{- $env := dict }}
{{- range .root.Files.Lines (print "env/" .program ".env") }}
{{- $setting := splitn "=" 2 . }}
{{- if $setting._1 }}{{ $_ := set $env $setting._0 $setting._1 }}{{ end }}
{{- end }}
{{- $prefix := include "prefix" .root }}
{{- if eq .program "gateway" }}
{{- $_ := set $env "TOKENS_HOST" (print $prefix "tokens-svc") }}
{{- $_ := set $env "TOKENS_INTERNAL_URL" (print "http://" $prefix "tokens-svc:8092") }}
{{- $_ := set $env "SHIPMENTS_HOST" (print $prefix "shipments-svc") }}
{{- /* While Redis is away, each gateway allows its part of a window. */ -}}
{{- $_ := set $env "GATEWAY_REPLICAS" .root.Values.gateway.replicas.min }}
{{- end }}
{{- range $name, $value := index .root.Values .program "env" }}{{ $_ := set $env $name $value }}{{ end }}
{{- range $name, $value := $env }}
{{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}{{ $value = int64 $value }}{{ end }}{{/* not 1e+06 */}}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* What a pod of any of the images may do. Secrets are below /run/secrets and not there, where a cluster mounts the token
of a workload's identity. */}}
{{- define "pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}
{{- define "container" -}}
image: {{ include "image" . }}
imagePullPolicy: {{ .root.Values.images.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
terminationMessagePolicy: FallbackToLogsOnError
{{- end }}
