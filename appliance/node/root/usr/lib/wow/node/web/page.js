// The page works without this. With it what changes is shown without loading anew, and times are those of the browser's own zone.
const EVERY = 10000;

function local(part) {
  for (const one of part.querySelectorAll("time")) {
    one.textContent = new Date(one.dateTime).toLocaleString();
  }
}

// What stands on the page is old from now on, until there is an answer again.
const silent = document.createElement("p");
silent.className = "alert";
silent.setAttribute("role", "alert");

function missed() {
  document.title = "No answer: WOW";
  if (!silent.isConnected) {
    silent.textContent = `No answer since ${new Date().toLocaleTimeString()}: what stands here is of then.`;
    document.getElementById("now").before(silent);
  }
}

async function renew() {
  if (document.visibilityState !== "visible") {
    return;
  }
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.getElementById("now");
    const here = document.getElementById("now");
    if (!now) {
      location.reload(); // Not logged in any more.
      return;
    }
    document.title = page.title;
    silent.remove();
    local(now);
    if (now.innerHTML !== here.innerHTML && !here.contains(document.activeElement)) {
      here.replaceWith(document.adoptNode(now));
    }
  } catch {
    missed();
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
}
