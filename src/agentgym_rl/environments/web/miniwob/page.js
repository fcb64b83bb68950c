// Runs in every MiniWoB++ page before the page's own scripts: time passes only when the world says so, so that a page's clocks,
// delays and animations are the same on every machine and take no time.
(() => {
  if (window.top !== window) return;
  const EPOCH = Date.UTC(2017, 0, 2, 9, 0, 0);
  const FRAME = 16;
  const Real = Date;
  let now = 0, last = 0;
  const timers = new Map();

  function plan(run, delay, every) {
    timers.set(++last, { at: now + Math.max(every ? 4 : 0, Number(delay) || 0), every, run, order: last });
    return last;
  }

  function due(until) {
    let found = null;
    for (const [id, timer] of timers) {
      if (timer.at <= until && (!found || timer.at < found[1].at || (timer.at === found[1].at && timer.order < found[1].order)))
        found = [id, timer];
    }
    return found;
  }

  function pass(milliseconds) {
    const until = now + milliseconds;
    for (let rounds = 0; rounds < 20000; rounds++) {
      const found = due(until);
      if (!found) break;
      const [id, timer] = found;
      now = Math.max(now, timer.at);
      if (timer.every === null) timers.delete(id);
      else { timer.at = now + timer.every; timer.order = ++last; }
      try { timer.run(); } catch (error) { console.error(error); }
    }
    now = until;
  }

  const code = (run, more) => (typeof run === "function" ? () => run.apply(window, more) : () => (0, eval)(String(run)));
  window.setTimeout = (run, delay, ...more) => plan(code(run, more), delay, null);
  window.setInterval = (run, delay, ...more) => plan(code(run, more), delay, Math.max(4, Number(delay) || 0));
  window.clearTimeout = window.clearInterval = (id) => { timers.delete(id); };
  window.requestAnimationFrame = window.webkitRequestAnimationFrame =
    (run) => plan(() => run(now), FRAME - (now % FRAME), null);
  window.cancelAnimationFrame = window.webkitCancelAnimationFrame = (id) => { timers.delete(id); };
  performance.now = () => now;
  window.Date = class Date extends Real {
    constructor(...parts) { if (parts.length) super(...parts); else super(EPOCH + now); }
    static now() { return EPOCH + now; }
  };
  window.Date = new Proxy(window.Date, { apply: () => new window.Date().toString() });

  // Elements that wait for clicks are told from others, as people tell them by trying.
  const WAITED = new Set(["click", "mousedown", "mouseup", "dblclick"]);
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (WAITED.has(type) && this instanceof Element) this.setAttribute("data-agentgym-listens", "");
    return listen.call(this, type, ...rest);
  };

  // The goal in words. What it shows without naming it, a colour or an icon, is written.
  function goal() {
    const utterance = core.getUtterance();
    const text = typeof utterance === "string" ? utterance : utterance.utterance;
    const shown = [...document.querySelectorAll("#query *")]
      .filter((el) => !el.childElementCount && !el.textContent.trim() && el.offsetWidth)
      .map((el) => {
        const icon = [...el.classList].find((word) => word.startsWith("ui-icon-"));
        if (icon) return icon.replace("ui-", "");
        const colour = getComputedStyle(el).backgroundColor;
        return text.includes(el.style.backgroundColor) || colour === "rgba(0, 0, 0, 0)" ? "" : hex(colour);
      }).filter(Boolean);
    return [text.replace(/\s+/g, " ").trim(), ...shown].join(" ");
  }

  const hex = (colour) => `#${colour.match(/\d+/g).slice(0, 3).map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;

  async function loaded() {
    if (document.readyState !== "complete") await new Promise((resume) => listen.call(window, "load", resume));
  }

  const state = () => ({ done: WOB_DONE_GLOBAL, raw: WOB_RAW_REWARD_GLOBAL });
  Object.defineProperty(window, "agentgym", { value: Object.freeze({
    async begin(seed) {
      await loaded();
      const still = document.createElement("style");
      still.textContent = "*, *::before, *::after { transition: none !important; animation: none !important; " +
        "caret-color: transparent !important; } #reward-display, #click-canvas { visibility: hidden !important; }";
      document.head.appendChild(still);
      Math.seedrandom(seed);
      core.EPISODE_MAX_TIME = 0x7fffffff;
      core.startEpisodeReal();
      pass(1000);
      return goal();
    },
    turn() {
      if (!WOB_DONE_GLOBAL) pass(1000);
      return state();
    },
  }) });
})();
