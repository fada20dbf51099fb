// The page works without this. With it what changes is shown without loading anew, and times are those of the browser's own zone.
const EVERY = 10000;

function local(part) {
  for (const one of part.querySelectorAll("time")) {
    one.textContent = new Date(one.dateTime).toLocaleString();
  }
}

async function renew() {
  if (document.visibilityState !== "visible") {
    return;
  }
  try {
    const answer = await fetch(location.href);
    const now = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("now");
    const here = document.getElementById("now");
    if (!now) {
      location.reload(); // Not logged in any more.
      return;
    }
    local(now);
    if (now.innerHTML !== here.innerHTML && !here.contains(document.activeElement)) {
      here.replaceWith(document.adoptNode(now));
    }
  } catch {
    document.title = "No answer: WOW";
  }
}

local(document);
if (document.getElementById("now")) {
  setInterval(renew, EVERY);
}
