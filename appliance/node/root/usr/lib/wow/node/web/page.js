// The page works without this. With it what changes is shown without loading anew, and times are those of the browser's own zone.
const EVERY = 10000;
// The page itself waits for parts of the machine that are away, twelve seconds at most.
const LIMIT = 15000;

function local(part) {
  for (const one of part.querySelectorAll("time")) {
    one.textContent = new Date(one.dateTime).toLocaleString();
  }
}

// What stands on the page is old from now on, until there is an answer again.
const silent = document.createElement("p");
silent.className = "alert";
silent.setAttribute("role", "alert");
let heard = new Date();

function missed() {
  document.title = "No answer: WOW";
  if (!silent.isConnected) {
    silent.textContent = `No answer since ${heard.toLocaleString()}: what stands here is of then.`;
    document.getElementById("now").before(silent);
  }
}

// A part with what somebody is about to press, to choose or to copy is left as it is.
function isHeld(part) {
  const chosen = document.getSelection();
  const active = document.activeElement;
  return (part.contains(active) && active.matches("button, input, select, textarea")) || (!chosen.isCollapsed && chosen.containsNode(part, true));
}

// Makes a node say what another one says. What says so already is not touched: what is open, scrolled or has the focus stays so, and nothing is read out anew.
function become(here, there) {
  if (here.nodeType !== Node.ELEMENT_NODE) {
    here.data = there.data;
    return;
  }
  for (const { name } of [...here.attributes]) {
    if (name !== "open" && !there.hasAttribute(name)) {
      here.removeAttribute(name);
    }
  }
  for (const { name, value } of there.attributes) {
    here.setAttribute(name, value);
  }
  const is = [...here.childNodes];
  const will = [...there.childNodes];
  if (is.length !== will.length || is.some((one, at) => one.nodeName !== will[at].nodeName)) {
    here.replaceChildren(...will);
    return;
  }
  is.forEach((one, at) => one.isEqualNode(will[at]) || become(one, will[at]));
}

let isAsking = false;

async function renew() {
  if (isAsking || document.visibilityState !== "visible") {
    return;
  }
  isAsking = true;
  const asked = new Date();
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout?.(LIMIT) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) {
      throw new Error(answer.status);
    }
    const now = page.getElementById("now");
    const here = document.getElementById("now");
    if (now?.children.length !== here.children.length) {
      location.reload(); // Not logged in any more, or the page of another release.
      return;
    }
    heard = asked;
    document.title = page.title;
    silent.remove();
    local(now);
    // The parts are the same ones each time, and an empty one where there is nothing to say.
    [...now.children].forEach((part, at) => isHeld(here.children[at]) || become(here.children[at], part));
  } catch {
    missed();
  } finally {
    isAsking = false;
  }
}

// A file that the page would not read, so that nobody sends it a whole disk.
for (const one of document.querySelectorAll("input[data-most]")) {
  one.addEventListener("change", () => {
    const size = one.files.length ? one.files[0].size : 0;
    one.setCustomValidity(size > one.dataset.most ? `This is no pool.conf: it has ${size} bytes, and is longer than ${one.dataset.most}` : "");
  });
}
local(document);
if (document.getElementById("now")) {
  setInterval(renew, EVERY);
  document.addEventListener("visibilitychange", renew);
}
