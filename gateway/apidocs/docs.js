// The language of the samples is the one that the reader chose last, on every page.
const languages = (value) => document.querySelectorAll(`.samples input[value="${value}"]`);
const choose = (value) => languages(value).forEach((input) => { input.checked = true; });

document.addEventListener("change", ({ target }) => {
  if (!target.closest(".samples")) return;
  choose(target.value);
  try { localStorage.setItem("language", target.value); } catch { /* the browser keeps nothing */ }
});
try { choose(localStorage.getItem("language")); } catch { /* the browser keeps nothing */ }

// Each block of code has a button that copies it: copy and select are functions of script.js.
all("article pre > code").forEach(({ parentNode: block }) => {
  const frame = Object.assign(document.createElement("div"), { className: "code" });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "small", textContent: "Copy" });
  block.replaceWith(frame);
  frame.append(button, block);
  button.addEventListener("click", async () => {
    const done = await copy(block.textContent);
    document.querySelector("#copied").textContent = done ? "✓ Copied." : "Couldn't copy. The text is selected: press Ctrl+C or ⌘C.";
    if (!done) select(block);
  });
});

// The console sends a request with the reader's token, which is in its field and nowhere else: the fields have no names,
// so no form and no history takes them along.
const form = document.querySelector("#try");
const inputs = (kind) => [...form.querySelectorAll(`[data-in="${kind}"]`)].filter((input) => input.value);
const values = (kind) => Object.fromEntries(inputs(kind).map((input) => [input.dataset.name, input.value]));

// fill puts the values of the fields in the place of {names}.
function fill(path) {
  const known = values("path");
  return path.replace(/{(\w+)}/g, (name, key) => known[key] ? encodeURIComponent(known[key]) : name);
}

function request(method, path, headers, body) {
  const token = form.querySelector("#try-token").value.trim();
  if (token) headers.Authorization = `Bearer ${token}`;
  return fetch(path, { method, headers, body, credentials: "omit", cache: "no-store" });
}

function send() {
  const headers = values("header");
  const query = new URLSearchParams(values("query")).toString();
  let body = form.querySelector("#try-body")?.value;
  if (body) headers["Content-Type"] = "application/json";
  if (form.querySelector('[data-in="form"]')) {
    body = new FormData();
    inputs("form").forEach((input) => body.append(input.dataset.name, input.files?.[0] ?? input.value));
  }
  return request(form.dataset.method, fill(form.dataset.path) + (query && `?${query}`), headers, body);
}

async function show(method, waiting) {
  const answer = form.querySelector("#try-answer");
  const [line, headers, body] = answer.querySelectorAll(".address, pre");
  const write = (first, second, third) => { [line.textContent, headers.textContent, body.textContent] = [first, second, third]; };
  answer.hidden = false;
  write("…", "", "");
  try {
    const response = await waiting;
    const text = await response.text();
    const path = response.url.slice(location.origin.length);
    const json = response.headers.get("Content-Type")?.includes("json") && JSON.parse(text);
    write(`${response.status} ${response.statusText} · ${method} ${path}`,
      [...response.headers].map((header) => header.join(": ")).join("\n"), json ? JSON.stringify(json, null, 2) : text);
    return response.ok && json;
  } catch (error) {
    write(`No response: ${error.message}`, "", "");
  }
}

if (form) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(form.dataset.method, send());
  });
  form.querySelectorAll("[data-first-of]").forEach((button) => {
    button.addEventListener("click", async () => {
      const path = fill(button.dataset.firstOf);
      const list = await show("GET", request("GET", path, {}));
      const first = Object.values(list || {}).find(Array.isArray)?.[0];
      if (first) button.parentNode.querySelector("input").value = first.id;
    });
  });
}
