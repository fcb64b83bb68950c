// Runs in an isolated world of the main frame, and of frames of other origins: it sees the page's document, and nothing the page
// defines is seen or called here.
(() => {
  if (globalThis.agent) return;
  const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "BASE"]);
  const UNNAMED = new Set(["generic", "none", "presentation", "", "img", "image", "list", "strong", "emphasis", "paragraph",
    "banner", "navigation", "Section", "LabelText", "Legend", "listitem", "LayoutTable", "LayoutTableRow", "LayoutTableCell",
    "Pre", "code", "group", "region", "main", "contentinfo", "complementary", "form", "search", "rowgroup", "LineBreak",
    "mark", "time", "term", "definition", "subscript", "superscript", "deletion", "insertion", "blockquote", "figure",
    "Canvas", "article", "graphics-symbol", "graphics-object", "graphics-document", "SvgRoot"]);
  const TEXT_FIELDS = new Set(["text", "search", "email", "url", "tel", "password", "number", "date", "time", "month", "week",
    "datetime-local", "color", "range"]);
  const SHAPES = new Set(["circle", "rect", "ellipse", "polygon", "polyline", "path", "line", "text"]);
  const LISTENS = "data-agentgym-listens"; // set by a world's script on elements that wait for clicks
  const LONGEST_TEXT = 2000;
  const MOST_NODES = 60000, MOST_READ = 8000, DEEPEST = 400, LONGEST_MS = 4000; // of a page that is walked through, and of them that are named: bounds the time for huge pages
  let nodes = [];
  let lastChange = performance.now();
  let asked = false;
  new MutationObserver(() => { lastChange = performance.now(); })
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  const squeeze = (text) => text.replace(/\s+/g, " ").trim();
  const short = (text) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

  function isEditable(el) {
    if (el.localName === "input") return TEXT_FIELDS.has(el.type) && !el.readOnly;
    if (el.localName === "textarea") return !el.readOnly;
    return el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
  }

  function flag(el, attribute, own) {
    const value = el.getAttribute(attribute);
    return value === null ? own : value;
  }

  function properties(el, role, active) {
    const found = {};
    const tag = el.localName;
    if (el === active) found.focused = true;
    if (tag === "input" && (el.type === "checkbox" || el.type === "radio")) found.checked = el.checked;
    else { const checked = flag(el, "aria-checked"); if (checked !== undefined) found.checked = checked === "true"; }
    if (tag === "option") { if (el.selected) found.selected = true; }
    else if (flag(el, "aria-selected") === "true") found.selected = true;
    const expanded = flag(el, "aria-expanded");
    if (expanded === "true" || expanded === "false") found.expanded = expanded === "true";
    else if (tag === "summary" && el.parentElement && el.parentElement.localName === "details")
      found.expanded = el.parentElement.open;
    const pressed = flag(el, "aria-pressed");
    if (pressed === "true" || pressed === "false") found.pressed = pressed === "true";
    if (isDisabled(el)) found.disabled = true;
    if (el.required || flag(el, "aria-required") === "true") found.required = true;
    if (el.readOnly && (tag === "input" || tag === "textarea") && (tag === "textarea" || TEXT_FIELDS.has(el.type))) found.readonly = true;
    if (el.hasAttribute("aria-haspopup")) found.hasPopup = el.getAttribute("aria-haspopup");
    if (tag === "input" && TEXT_FIELDS.has(el.type) && el.value !== "")
      found.value = el.type === "password" ? "•".repeat(el.value.length) : short(el.value);
    else if (tag === "textarea" && el.value !== "") found.value = short(el.value);
    else if (role === "slider" || role === "spinbutton" || role === "progressbar") {
      const now = flag(el, "aria-valuetext") || flag(el, "aria-valuenow");
      if (now !== undefined) found.value = now;
    }
    return found;
  }

  function isDisabled(el) {
    return (typeof el.matches === "function" && el.matches(":disabled")) || el.getAttribute("aria-disabled") === "true";
  }

  function observe(options) {
    const started = nodes = [];
    const rows = [];
    let walked = 0, read = 0, level = 0, cut = false;
    const latest = performance.now() + LONGEST_MS;
    const inside = (box) => options.whole ||
      (box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth);
    const shift = (box, dx, dy) => ({ left: box.left + dx, top: box.top + dy, right: box.right + dx, bottom: box.bottom + dy,
      width: box.width, height: box.height });

    function emit(node, depth, role, name, found, tag, box, flags, id) {
      started.push(node);
      rows.push([depth, role, short(name), found, tag, box.left, box.top, box.width, box.height, flags, id]);
    }

    function text(node, depth, above, dx, dy) {
      const said = squeeze(node.data);
      if (!said || above.includes(said)) return;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = shift(range.getBoundingClientRect(), dx, dy);
      if (box.width > 0 && box.height >= 3 && inside(box)) emit(node, depth, "StaticText", said, null, "", box, 0, "");
    }

    function children(root, depth, above, pointer, active, dx, dy, inControl, seen) {
      for (const node of root) {
        if (++walked > MOST_NODES || read > MOST_READ || level > DEEPEST || (walked % 64 === 0 && performance.now() > latest)) {
          cut = true;
          return;
        }
        level += 1;
        if (node.nodeType === Node.TEXT_NODE) seen && text(node, depth, above, dx, dy);
        else if (node.nodeType === Node.ELEMENT_NODE) element(node, depth, above, pointer, active, dx, dy, inControl);
        level -= 1;
      }
    }

    function element(el, depth, above, pointer, active, dx, dy, inControl) {
      if (SKIPPED.has(el.tagName) || el.getAttribute("aria-hidden") === "true" || (options.hidden && el.matches(options.hidden))) return;
      const tag = el.localName;
      const style = getComputedStyle(el);
      if (style.display === "none" || (style.opacity === "0" && !isEditable(el) && tag !== "input")) return;
      const seen = style.visibility === "visible";
      const box = shift(el.getBoundingClientRect(), dx, dy);
      const near = inside(box);
      if (near) read += 1;
      // Elements that are out of sight are walked through, since what is in them may be placed elsewhere; they need no name.
      let role = near ? el.computedRole : "generic", name = near ? squeeze(el.computedName || "") : "";
      if (role === "image") role = "img";
      const frame = tag === "iframe" || tag === "frame";
      const found = near && !frame ? properties(el, role, active) : {};
      const shape = options.graphics && !inControl && el.ownerSVGElement && SHAPES.has(tag) && Math.max(box.width, box.height) >= (tag === "text" ? 5 : 2);
      const looksClickable = style.cursor === "pointer" && !pointer;
      const listens = options.graphics && tag !== "body" && tag !== "html" && el.hasAttribute(LISTENS);
      const focusable = el.tabIndex >= 0 && (el.hasAttribute("tabindex") || role !== "generic");
      let shown = seen && (!UNNAMED.has(role) || name !== "" || Object.keys(found).length > 0 || focusable);
      if (seen && !shown && options.graphics && box.width > 0 && box.height > 0 && !el.ownerSVGElement)
        shown = looksClickable || listens || tag === "canvas" || isColoured(el, style, box);
      if (seen && shape) shown = true;
      if (tag === "input" && role === "generic") role = "textbox";
      if (frame) { role = "Iframe"; shown = seen; name = name || squeeze(el.title || el.name || ""); }
      if (!near) shown = false;
      if (role === "none" || role === "presentation" || role === "") role = shape ? tag : tag === "canvas" ? "canvas" : "generic";
      if (shape) { role = tag; name = name || drawn(el, style, box); }
      else if (shown && !name && (role === "generic" || role === "button" || role === "img"))
        name = squeeze(el.getAttribute("title") || "") || (options.graphics ? looks(el, style) : "");
      const inner = frame ? within(el) : null; // none when it is another origin's
      if (shown && inside(box)) {
        const flags = (isEditable(el) ? 1 : 0) | (looksClickable || listens || shape || el.onclick || focusable ? 2 : 0) |
          (frame && !inner ? 4 : 0);
        emit(el, depth, role, name, Object.keys(found).length ? found : null, tag, box, flags, el.id);
        depth += 1;
        if (name) above = name;
        inControl = inControl || role === "button" || role === "link";
      }
      if (tag === "select") {
        for (const option of el.options) {
          const state = properties(option, "option", null);
          if (!option.hidden && (options.whole || inside(box)))
            emit(option, depth, "option", squeeze(option.label), Object.keys(state).length ? state : null, "option", box, 2, option.id);
        }
        return;
      }
      if (tag === "textarea") return;
      if (frame) {
        if (inner && inner.documentElement && seen) {
          const left = box.left + el.clientLeft, top = box.top + el.clientTop;
          element(inner.documentElement, depth, "", false, inner.activeElement === inner.body ? null : inner.activeElement, left, top, false);
        }
        return;
      }
      const down = pointer || style.cursor === "pointer";
      if (el.shadowRoot) children(el.shadowRoot.childNodes, depth, above, down, el.shadowRoot.activeElement, dx, dy, inControl, seen);
      else if (tag === "slot" && el.assignedNodes().length) children(el.assignedNodes(), depth, above, down, active, dx, dy, inControl, seen);
      else children(el.childNodes, depth, above, down, active, dx, dy, inControl, seen);
    }

    emit(document, 0, "RootWebArea", document.title, { focused: true }, "", { left: 0, top: 0, width: innerWidth, height: innerHeight }, 0, "");
    if (document.documentElement) {
      const active = document.activeElement;
      element(document.documentElement, 1, "", false, active === document.body ? null : active, 0, 0, false);
    }
    return { rows, cut, url: location.href, title: document.title, state: document.readyState,
      above: Math.round(scrollY), below: Math.max(0, Math.round((document.documentElement?.scrollHeight ?? 0) - innerHeight - scrollY)) };
  }

  function within(frame) {
    try { return frame.contentDocument; } catch { return null; }
  }

  // A shape as words: what it says, its colour, size and middle.
  function drawn(el, style, box) {
    const said = el.localName === "text" ? squeeze(el.textContent) : "";
    return [said, colour(style.fill) || colour(style.stroke), `${Math.round(box.width)}x${Math.round(box.height)}`,
      `at ${Math.round(box.left + box.width / 2)},${Math.round(box.top + box.height / 2)}`].filter(Boolean).join(" ");
  }

  // What a nameless element says, or else what kind of thing it looks like: its classes (icons have no other name) and its colour.
  function looks(el, style) {
    const said = style.fontSize === "0px" || style.opacity === "0" ? "" : squeeze(el.innerText || "");
    if (said) return said.length <= 80 ? said : "";
    const classes = (el.getAttribute("class") || "").split(/\s+/);
    const kind = classes.filter((word) => word && !/^ui-(corner|state|widget|helper)/.test(word)).map((word) => word.replace(/^ui-/, ""));
    const [left, top] = [el.offsetWidth, el.offsetHeight];
    const size = isColoured(el, style, { width: left, height: top }) ? `${left}x${top}` : "";
    return [...kind, colour(style.backgroundColor), size].filter(Boolean).join(" ");
  }

  function isColoured(el, style, box) {
    return el.childElementCount === 0 && box.width * box.height >= 16 && box.width < innerWidth && colour(style.backgroundColor) !== "" &&
      squeeze(el.textContent) === "";
  }

  const NAMED = { "0,0,0": "black", "255,255,255": "white", "128,128,128": "gray", "255,0,0": "red", "0,128,0": "green", "0,0,255": "blue",
    "255,255,0": "yellow", "0,255,255": "cyan/aqua", "255,0,255": "magenta", "128,0,128": "purple", "255,165,0": "orange",
    "255,192,203": "pink", "0,255,0": "lime", "128,128,0": "olive", "165,42,42": "brown", "128,0,0": "maroon", "0,0,128": "navy",
    "0,128,128": "teal", "192,192,192": "silver" };

  // ``rgb(168, 50, 50)`` → ``red #a83232``; nothing where there is no colour.
  function colour(css) {
    const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(css);
    if (!found || found[4] === "0") return "";
    const parts = found.slice(1, 4).map(Number);
    const named = NAMED[parts.join(",")];
    if (named) return named;
    const most = Math.max(...parts), least = Math.min(...parts), range = most - least;
    const hex = `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    if (range < 20) return `${most < 50 ? "black" : least > 205 ? "white" : "gray"} ${hex}`;
    const [red, green, blue] = parts;
    const sector = most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
    const hue = (sector * 60 + 360) % 360;
    const word = ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "red"]
      [[15, 45, 70, 165, 200, 260, 290, 340, 360].findIndex((edge) => hue <= edge)];
    return `${word} ${hex}`;
  }

  const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement || document.documentElement);

  // Where the element of that number can be clicked, or which of these it is: unknown, stale, hidden, disabled, covered.
  function locate(id) {
    const node = nodes[id - 1];
    if (!node) return { problem: "unknown" };
    if (!node.isConnected) return { problem: "stale" };
    if (node === document) return { x: innerWidth / 2, y: innerHeight / 2 };
    const el = elementOf(node);
    if (el.localName === "option") return locateOption(el);
    if (isDisabled(el)) return { problem: "disabled" };
    el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    let point = pointOf(node);
    if (point && !topmost(point.x, point.y, el)) {
      el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      point = pointOf(node);
    }
    if (!point || getComputedStyle(el).visibility !== "visible") return { problem: "hidden" };
    const cover = coverOf(point, el);
    if (cover) return { problem: "covered", by: describe(cover) };
    const frame = frameCover(point, el);
    if (frame) return { problem: "covered", by: describe(frame) };
    const [dx, dy] = offset(el);
    return { x: point.x + dx, y: point.y + dy, editable: isEditable(el), file: el.localName === "input" && el.type === "file" };
  }

  function locateOption(el) {
    if (el.disabled || (el.parentElement && isDisabled(el.parentElement))) return { problem: "disabled" };
    return { option: true };
  }

  function pointOf(node) {
    let boxes;
    if (node.nodeType === Node.TEXT_NODE) {
      const range = node.ownerDocument.createRange();
      range.selectNodeContents(node);
      boxes = range.getClientRects();
    } else boxes = node.getClientRects();
    for (const box of boxes) {
      if (box.width > 0 && box.height > 0) return { x: box.left + box.width / 2, y: box.top + box.height / 2, box };
    }
    return null;
  }

  function topmost(x, y, el) {
    const root = el.getRootNode();
    const hit = root.elementFromPoint ? root.elementFromPoint(x, y) : document.elementFromPoint(x, y);
    return hit && related(hit, el) ? hit : null;
  }

  const related = (hit, el) => {
    if (hit === el || el.contains(hit) || hit.contains(el)) return true;
    const label = hit.closest ? hit.closest("label") : null;
    return Boolean(label && label.control === el);
  };

  // Tries the middle, then points towards the edges: an element is covered when none of them is seen.
  function coverOf(point, el) {
    const { box } = point;
    const places = [0.5, 0.25, 0.75, 0.06, 0.94];
    let cover = null;
    for (const [right, down] of places.flatMap((down) => places.map((right) => [right, down]))) {
      const x = box.left + box.width * right, y = box.top + box.height * down;
      if (topmost(x, y, el)) { point.x = x; point.y = y; return null; }
      const root = el.getRootNode();
      cover = cover || (root.elementFromPoint ? root : document).elementFromPoint(x, y);
    }
    return cover || el;
  }

  // What lies over the frame that an element is in, at the element's place.
  function frameCover(point, el) {
    let { x, y } = point;
    for (let view = el.ownerDocument.defaultView; view && view.frameElement; view = view.parent) {
      const frame = view.frameElement, box = frame.getBoundingClientRect();
      x += box.left + frame.clientLeft;
      y += box.top + frame.clientTop;
      const hit = frame.ownerDocument.elementFromPoint(x, y);
      if (hit !== frame) return hit || frame;
    }
    return null;
  }

  function describe(el) {
    for (let up = el; up; up = up.parentElement) {
      const id = nodes.indexOf(up) + 1;
      if (id > 1) return { number: id, words: `${up.computedRole} '${squeeze(up.computedName || "").slice(0, 60)}'` };
    }
    return { number: 0, words: `${el.localName}${el.id ? `#${el.id}` : ""}` };
  }

  function offset(el) {
    let dx = 0, dy = 0;
    for (let view = el.ownerDocument.defaultView; view && view.frameElement; view = view.parent) {
      const box = view.frameElement.getBoundingClientRect();
      dx += box.left + view.frameElement.clientLeft;
      dy += box.top + view.frameElement.clientTop;
    }
    return [dx, dy];
  }

  const node = (id) => nodes[id - 1];

  // Where the document of a frame begins; nothing when the frame is gone.
  function inset(id) {
    const el = node(id);
    if (!el || !el.isConnected) return null;
    const box = el.getBoundingClientRect(), [dx, dy] = offset(el);
    return { x: box.left + el.clientLeft + dx, y: box.top + el.clientTop + dy };
  }

  // What lies over a frame at a place; nothing when it is seen there.
  function over(id, x, y) {
    const el = node(id);
    if (!el || !el.isConnected) return { number: 0, words: "another document" };
    const [dx, dy] = offset(el), root = el.getRootNode();
    const hit = (root.elementFromPoint ? root : document).elementFromPoint(x - dx, y - dy);
    const cover = hit === el ? frameCover({ x: x - dx, y: y - dy }, el) : hit || el;
    return cover ? describe(cover) : null;
  }

  function choose(id) {
    const option = nodes[id - 1];
    const select = option.closest("select");
    if (select.multiple) option.selected = !option.selected;
    else select.value = option.value, option.selected = true;
    select.dispatchEvent(new Event("input", { bubbles: true }));
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Selects what an editable element holds, so that typing replaces it.
  function empty(id) {
    const el = elementOf(nodes[id - 1]);
    el.focus();
    if (typeof el.select === "function") el.select();
    else {
      const range = el.ownerDocument.createRange();
      range.selectNodeContents(el);
      const selection = el.ownerDocument.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
    return (el.value || el.textContent || "") !== "";
  }

  // Fields that browsers fill through a picker take their value, not keys.
  function fill(id, value) {
    const el = elementOf(nodes[id - 1]);
    if (el.localName !== "input" || !["date", "time", "month", "week", "datetime-local", "color", "range"].includes(el.type)) return false;
    el.value = value;
    el.dispatchEvent(new Event("input", { bubbles: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  }

  // What an action sets off may come a little later, so the page must be still from the call on. A new document has been
  // watched since it began; there only what is due already is let through.
  async function quiet(stillMs, mostMs) {
    const begun = performance.now();
    if (asked) lastChange = begun;
    else if (stillMs) await new Promise((resume) => setTimeout(resume, 4));
    asked = true;
    for (;;) {
      const now = performance.now();
      if (now - lastChange >= stillMs && document.readyState !== "loading") return;
      if (now - begun >= mostMs) return;
      await new Promise((resume) => setTimeout(resume, Math.max(4, Math.min(stillMs - (now - lastChange), mostMs))));
    }
  }

  async function observeWhenQuiet(options) {
    await quiet(options.still, options.most);
    return observe(options);
  }

  globalThis.agent = { observe, observeWhenQuiet, locate, choose, empty, fill, node, inset, over };
})();
