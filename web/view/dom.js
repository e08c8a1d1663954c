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

export function save(name, blob) {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
