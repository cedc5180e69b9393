// Elements, made with text nodes only: no markup of a stranger, nor of this server, is ever parsed.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * `h('a', { href, class: 'x', onclick }, 'text', child)`. Functions become listeners, `true` an empty attribute where it is none of ARIA's; null, undefined and false
 * are left out, as attributes and as children.
 */
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : String(value));
  }
  element.append(...children.flat(4).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** Puts children in the place of those an element has. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(4).filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

/** Like `fill`: where a child had the focus, the one that is drawn in its place has it. */
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : undefined;
  fill(element, ...children);
  if (focused) present(focused)?.focus({ preventScroll: true });
  return element;
}

/** The element, or when it is on the page no more the one with its `data-key`. */
export function present(element) {
  if (element.isConnected) return element;
  const { key } = element.dataset;
  return key === undefined ? undefined : document.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

export function byId(id) {
  return document.getElementById(id);
}
