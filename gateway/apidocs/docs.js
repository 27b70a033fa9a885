// The language of the samples is the one that the reader chose last, on every page.
const languages = (value) => document.querySelectorAll(`.samples input[value="${value}"]`);
const choose = (value) => languages(value).forEach((input) => { input.checked = true; });

document.addEventListener("change", ({ target }) => {
  if (!target.closest(".samples")) return;
  choose(target.value);
  try { localStorage.setItem("language", target.value); } catch { /* the browser keeps nothing */ }
});
try { choose(localStorage.getItem("language")); } catch { /* the browser keeps nothing */ }

// Sends a request of the reference with the reader's token, which is in its field and nowhere else: the fields have no
// names, so no form and no history takes them along.
const form = document.querySelector("#try");
const field = (name) => form.querySelector(`#try-${name}`);

async function send() {
  const token = field("token").value.trim();
  const body = field("body")?.value;
  const response = await fetch(field("address").value, {
    method: form.dataset.method,
    credentials: "omit",
    cache: "no-store",
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...(body && { "Content-Type": "application/json" }) },
    body: body || undefined,
  });
  const text = await response.text();
  const json = response.headers.get("Content-Type")?.includes("json") && text;
  return `${response.status} ${response.statusText}\n\n${json ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
}

if (form) {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = field("answer");
    answer.hidden = false;
    answer.textContent = "…";
    answer.textContent = await send().catch((error) => `No response: ${error.message}`);
  });
}
