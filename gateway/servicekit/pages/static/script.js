// Progressive enhancement: every page also works without a script.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// A form that may be sent once is sent once, however often its button is pressed.
all("form[data-once]").forEach((form) => {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    all("button", form).forEach((button) => button.setAttribute("aria-disabled", "true"));
  });
});

// A page from the browser's history can send its forms again.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  all("form[data-sent]").forEach((form) => {
    delete form.dataset.sent;
    all("button", form).forEach((button) => button.removeAttribute("aria-disabled"));
  });
});

// A notice is about the step before this page: a reload does not repeat it.
all("[data-notice]").forEach((notice) => {
  const here = new URL(location.href);
  notice.dataset.notice.split(" ").forEach((parameter) => here.searchParams.delete(parameter));
  if (here.href !== location.href) history.replaceState(null, "", here);
});

// A link in a mail has its code in the fragment, which no server gets.
all("form[data-fragment]").forEach((form) => {
  const fields = new URLSearchParams(location.hash.slice(1));
  ["email", "code"].forEach((name) => { if (fields.has(name)) form.elements[name].value = fields.get(name); });
  if (fields.has("code")) history.replaceState(null, "", location.pathname);
});

// Menus close when somebody goes on elsewhere.
document.addEventListener("click", (event) => {
  all("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  all("details.menu[open]").forEach((menu) => {
    menu.open = false;
    menu.querySelector("summary").focus();
  });
});

// Confirmations come as a dialog: the same page, fetched when it is asked for.
all("a[data-dialog]").forEach((link) => {
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    try {
      const response = await fetch(link.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const question = page.querySelector("[data-confirm]");
      if (!response.ok || response.redirected || !question) throw new Error("no question");
      ask(link, question);
    } catch {
      location.assign(link.href);
    }
  });
});

function ask(link, question) {
  const dialog = document.createElement("dialog");
  const heading = question.querySelector("h1");
  heading.id = "dialog-heading";
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.append(document.adoptNode(question));
  document.body.append(dialog);
  const cancel = dialog.querySelector("[data-cancel]");
  cancel.addEventListener("click", (event) => { event.preventDefault(); dialog.close(); });
  dialog.addEventListener("close", () => { dialog.remove(); link.focus(); });
  dialog.showModal();
  cancel.focus();
}

// The status shows "Copied" only after the copy succeeded. Without https there is
// no navigator.clipboard, and execCommand is used.
all("[data-copy]").forEach((button) => {
  const source = document.getElementById(button.dataset.copy);
  const status = document.getElementById("copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(source.textContent);
    status.textContent = done ? "✓ Copied." : "Couldn't copy. The text is selected: press Ctrl+C or ⌘C.";
    status.classList.toggle("failed", !done);
    if (!done) select(source);
  });
});

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    document.body.append(field);
    const focused = document.activeElement;
    field.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { done = false; }
    field.remove();
    focused?.focus();
    return done;
  }
}

function select(element) {
  element.focus();
  getSelection().selectAllChildren(element);
}

// A passkey answers the server's challenge; then the form is sent with the answer.
all("form[data-passkey]").forEach((form) => {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  const field = form.querySelector("[data-credential]");
  const status = form.querySelector("[role=status]");
  all("[data-without-script]", form).forEach((hint) => hint.remove());
  all("button", form).forEach((button) => { button.hidden = false; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    status.textContent = "";
    try {
      const response = await fetch(form.dataset.passkey, { method: "POST", headers: { Accept: "application/json" } });
      if (!response.ok) throw new Error("no challenge");
      const { publicKey } = await response.json();
      field.value = JSON.stringify("create" in form.dataset
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) }));
      form.submit();
    } catch (error) {
      status.textContent = error.name === "InvalidStateError"
        ? "This device has a passkey of your account already." : "No passkey was used. Try again, or use another way.";
    }
  });
});

// Sections beside each other become tabs.
const sections = all("[data-tab]");
if (sections.length > 0) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Format");
  const tabs = sections.map((section) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = section.id + "-button";
    tab.textContent = section.dataset.tab;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", section.id);
    section.setAttribute("role", "tabpanel");
    section.setAttribute("aria-labelledby", tab.id);
    list.append(tab);
    return tab;
  });
  const show = (at) => tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", String(i === at));
    tab.tabIndex = i === at ? 0 : -1;
    sections[i].hidden = i !== at;
  });
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => show(i));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (i + step + tabs.length) % tabs.length;
      show(next);
      tabs[next].focus();
    });
  });
  sections[0].before(list);
  show(0);
}

// The page of a new token waits for its first request, for 15 minutes at most.
const watch = document.querySelector("[data-watch]");
if (watch) {
  const hint = [...watch.childNodes];
  const until = Date.now() + 15 * 60 * 1000;
  watch.textContent = "Waiting for the first request…";
  const timer = setInterval(async () => {
    if (document.hidden && Date.now() < until) return;
    const use = await fetch(watch.dataset.watch, { redirect: "error" }) // of a session that has ended
      .then((response) => response.json()).catch(() => null);
    if (use?.at) {
      const time = new Date(use.at).toLocaleTimeString(undefined, { hourCycle: "h23" });
      watch.textContent = `✓ ${time}: first request received${use.address ? " from " + use.address : ""}.`;
      watch.className = "copied";
    } else if (use && Date.now() < until) {
      return;
    } else {
      watch.replaceChildren(...hint);
    }
    clearInterval(timer);
  }, 2000);
}

// A page that holds a secret clears it when it is left, so that Back from the
// back/forward cache does not show it.
if (document.querySelector(".secret")) {
  addEventListener("pagehide", () => all(".secret").forEach((element) => { element.textContent = ""; }));
  const list = document.querySelector("[data-list]").dataset.list;
  addEventListener("pageshow", (event) => { if (event.persisted) location.replace(list); });
}

// Without a script the browser's own command prints.
all("[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => print());
});

// A part of a page that is not final is loaded again until it is.
const unfinished = document.querySelector("[data-refresh]");
if (unfinished) {
  const look = async () => {
    try {
      const response = await fetch(location.pathname, { headers: { Accept: "text/html" } });
      if (!response.ok || response.redirected) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (page.querySelector("[data-refresh]")?.textContent !== unfinished.textContent) return location.assign(location.pathname);
    } catch { /* the next one may succeed */ }
    setTimeout(look, 2000);
  };
  setTimeout(look, 1000);
}

function sent(form, button) {
  const data = new FormData(form, button);
  return form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
}

// Chosen and dropped files are lines, each with its type and its progress, and are sent one by one. The area is in the
// form that attaches them, or names the form that creates what they are attached to.
all("[data-files]").forEach((area) => {
  const form = area.dataset.files ? document.getElementById(area.dataset.files) : area;
  const input = area.querySelector("[type=file]");
  const list = area.querySelector(".files");
  const common = area.querySelector("[name=type]");
  const said = Object.assign(document.createElement("p"), { className: "fault" });
  said.setAttribute("role", "alert");
  form.querySelector(".buttons").before(said);
  let files = [];
  let made = form === area ? form.action.replace(/\/documents$/, "") : "";
  area.hidden = false;
  all("[data-without-script]", area).forEach((field) => { field.hidden = true; });
  const load = async (address, options) => {
    const response = await fetch(address, { headers: { Accept: "text/html" }, ...options });
    return { response, page: new DOMParser().parseFromString(await response.text(), "text/html") };
  };
  const show = () => {
    const chosen = new DataTransfer();
    files.forEach((one) => chosen.items.add(one.file));
    input.files = chosen.files;
    list.replaceChildren(...files.map((one) => one.line));
    all("[data-preview]", area).forEach((button) => { button.hidden = files.length > 1; });
    if (common) common.value = files.length === 1 ? files[0].type.value : "";
  };
  const add = (file) => {
    if (files.some((one) => one.file.name === file.name && one.file.size === file.size)) return;
    const line = area.querySelector("template").content.firstElementChild.cloneNode(true);
    const one = { file, line, type: line.querySelector("select"), state: line.querySelector("[role=status]") };
    line.querySelector("span").textContent = file.name;
    one.type.setAttribute("aria-label", "Type of " + file.name);
    one.type.value = [...one.type.options].reverse()
      .find((option) => option.dataset.name && new RegExp(option.dataset.name, "i").test(file.name))?.value || "other";
    one.type.addEventListener("change", show);
    line.querySelector("button").setAttribute("aria-label", "Remove " + file.name);
    line.querySelector("button").addEventListener("click", () => {
      files = files.filter((other) => other !== one);
      show();
      input.focus();
    });
    files.push(one);
  };
  input.addEventListener("change", () => { [...input.files].forEach(add); show(); });
  const send = async (address, one) => {
    one.state.textContent = "Sending…";
    const body = new FormData();
    body.set("type", one.type.value);
    body.set("dry_run", "false");
    body.set("file", one.file);
    try {
      const { response, page } = await load(address, { method: "POST", body });
      one.sent = response.redirected;
      one.state.textContent = one.sent ? "Being read…" : page.querySelector("#file-fault, #summary li, main .lead, main h1").textContent;
    } catch {
      one.state.textContent = "It was not sent. Try again.";
    }
    one.line.classList.toggle("failed", !one.sent);
    all("button", one.line).forEach((button) => { button.hidden = one.sent; });
  };
  // What was read is said for a minute at most: the page says it, too.
  const follow = async (address) => {
    for (const until = Date.now() + 60000; Date.now() < until; await new Promise((next) => setTimeout(next, 1000))) {
      const { page } = await load(address);
      const rows = all("[data-file]", page);
      files.forEach((one) => {
        const row = rows.find((other) => other.dataset.file === one.file.name.normalize());
        if (row) one.state.textContent = row.querySelector("[data-state]").textContent;
      });
      if (!page.querySelector("[data-refresh]")) return;
    }
  };
  form.addEventListener("submit", async (event) => {
    if (event.defaultPrevented || event.submitter?.dataset.preview || (files.length === 0 && (form === area || !made))) return;
    event.preventDefault();
    said.replaceChildren();
    try {
      if (!made) {
        const { response } = await load(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
        if (!response.redirected) return form.submit();
        made = response.url.split("?")[0];
      }
      for (const one of files.filter((other) => !other.sent)) await send(made + "/documents", one);
      if (files.every((one) => one.sent)) {
        await follow(made + "/documents");
        return location.assign(made + (files.length > 1 ? "?done=attached-all" : "?done=attached"));
      }
      said.append(`${files.filter((one) => one.sent).length} of ${files.length} files were attached to `,
        Object.assign(document.createElement("a"), { href: made, textContent: "the shipment" }),
        ". Remove the others, or send them again.");
      if (form !== area) all("input", form).forEach((field) => { field.readOnly = true; });
    } catch {
      said.append("It was not sent. Check the connection, and try again.");
    }
    delete form.dataset.sent;
    all("button", form).forEach((button) => button.removeAttribute("aria-disabled"));
  });
});

// A preview is shown on the page, so that the chosen file stays chosen.
all("button[data-preview]").forEach((button) => {
  button.addEventListener("click", async (event) => {
    const form = button.form;
    if (!form.reportValidity()) return event.preventDefault();
    event.preventDefault();
    button.setAttribute("aria-disabled", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body: sent(form, button), headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const shown = page.querySelector(button.dataset.preview) || page.querySelector("#summary");
      document.querySelector(button.dataset.preview)?.remove();
      document.querySelector("#summary")?.remove();
      all("[data-without-script]", shown).forEach((hint) => hint.remove());
      shown.tabIndex = -1;
      form.before(document.adoptNode(shown));
      shown.focus();
    } catch {
      form.requestSubmit(button);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  });
});

// Of tabs that do not fit, the current one is seen.
all("nav [aria-current]").forEach((tab) => tab.scrollIntoView({ block: "nearest", inline: "center" }));

// A box ticks all of a name.
all("[data-all]").forEach((label) => {
  label.hidden = false;
  label.querySelector("input").addEventListener("change", (event) => {
    all(`input[name="${label.dataset.all}"]`).forEach((box) => { box.checked = event.target.checked; });
  });
});

// Views are searches, filters and orders of a list that a person named, in this browser.
const views = document.getElementById("views");
if (views) {
  const person = document.querySelector("#account-menu .break")?.textContent ?? "";
  const key = `views ${views.dataset.list} ${person}`;
  const form = document.getElementById("save-view");
  const name = form.querySelector("input");
  const saved = () => {
    try { return [].concat(JSON.parse(localStorage.getItem(key)) ?? []); } catch { return []; }
  };
  const store = (list) => {
    localStorage.setItem(key, JSON.stringify(list.slice(-20)));
    show();
  };
  const show = () => {
    views.replaceChildren(...saved().map((view) => {
      const link = Object.assign(document.createElement("a"), { className: "chip", href: views.dataset.list, textContent: view.name });
      link.search = view.query;
      if (link.search === location.search) link.setAttribute("aria-current", "true");
      const remove = Object.assign(document.createElement("button"), { className: "link", type: "button", textContent: "✕" });
      remove.setAttribute("aria-label", `Remove the view ${view.name}`);
      remove.addEventListener("click", () => store(saved().filter((other) => other.name !== view.name)));
      const item = document.createElement("li");
      item.append(link, " ", remove);
      return item;
    }));
    views.hidden = views.children.length === 0;
  };
  form.hidden = false;
  form.querySelector("button").addEventListener("click", () => {
    const text = name.value.trim();
    if (!text) return name.focus();
    store([...saved().filter((view) => view.name !== text), { name: text, query: location.search }]);
    name.value = "";
    document.getElementById("filters").open = false;
  });
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    form.querySelector("button").click();
  });
  show();
}

// Keys of lists, which a person can turn off (WCAG 2.1.4).
const help = document.getElementById("keys");
if (help) {
  const dialog = help.content.querySelector("dialog");
  const used = dialog.querySelector("input");
  used.checked = localStorage.getItem("keys") !== "off";
  used.addEventListener("change", () => localStorage.setItem("keys", used.checked ? "on" : "off"));
  document.body.append(dialog);
  const step = (by) => {
    const links = all("#shipments tbody th a, .brief li > a");
    const next = links.indexOf(document.activeElement) + by;
    links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
  };
  const actions = {
    "/": () => { const box = document.getElementById("q"); box?.focus(); box?.select(); },
    j: () => step(1), k: () => step(-1), c: () => document.getElementById("new")?.click(), "?": () => dialog.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !used.checked || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  all("#show-keys").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", actions["?"]);
  });
}
