package reference

import "slices"

// Requirement is a document that a destination requires.
type Requirement struct {
	Document string // its type
	Region   string
	Source   string
	Reason   string // for the exemption of origins, with its source

	territory      string
	exemptOrigins  []string // territories
	exemptOutlying bool     // the exemption of origins includes their outlying territories
	exemptProduce  []string // by first botanical names
	lowRiskOrigins []string // territories from which lowRiskProduce is exempt, too
	lowRiskProduce []string
}

// RequirementsSource names the table of the requirements, with its edition and date.
var RequirementsSource, requirements = func() (source string, all []Requirement) {
	table, source := rows("requirements")
	for _, r := range table {
		all = append(all, Requirement{
			Document: r["document"], Region: r["region"], Source: r["source"], Reason: r["reason"], territory: r["territory"],
			exemptOrigins: r.list("exempt_origins"), exemptOutlying: r["outlying_origins_too"] == "yes",
			exemptProduce: r.list("exempt_produce"), lowRiskOrigins: r.list("low_risk_origins"),
			lowRiskProduce: r.list("low_risk_produce"),
		})
	}
	return source, all
}()

// Requirements returns what a destination requires; nil: that is not known.
func Requirements(destination string) []Requirement {
	territory := territories[CountryOf(destination)]
	return slices.DeleteFunc(slices.Clone(requirements), func(r Requirement) bool { return r.territory != territory })
}

// ExemptsOrigin reports whether goods from an origin need no document.
func (r Requirement) ExemptsOrigin(origin string) bool {
	name, _ := named(origin, true)
	return slices.Contains(r.exemptOrigins, territories[CountryOf(origin)]) && (r.exemptOutlying || name == "")
}

// ExemptsProduce reports whether produce from an origin needs no document.
func (r Requirement) ExemptsProduce(origin string, produce []string) bool {
	exempt := r.exemptProduce
	if slices.Contains(r.lowRiskOrigins, territories[CountryOf(origin)]) {
		exempt = slices.Concat(exempt, r.lowRiskProduce)
	}
	return len(produce) > 0 && !slices.ContainsFunc(produce, func(name string) bool {
		return !slices.Contains(exempt, CommodityOf(name))
	})
}
