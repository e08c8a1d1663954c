// Elements of the page. Text goes in as text only.
export function element(tag, name = "", text) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
}

export function button(text, title, act, id) {
    const made = element("button", "", text);
    made.type = "button";
    made.title = title;
    made.setAttribute("aria-label", title);
    if (id) made.id = id;
    made.addEventListener("click", act);
    return made;
}

// A drawing of 16 by 16 in a button; returns its path.
export function icon(parent, d) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    const path = document.createElementNS(ns, "path");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", d);
    svg.append(path);
    parent.append(svg);
    return path;
}

export function save(name, blob) {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
