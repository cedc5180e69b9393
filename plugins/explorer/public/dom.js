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

/** What can have the focus inside something that is drawn anew. */
const STOPS = 'a, button, input, select, textarea, summary, [tabindex]';

/** Like `fill`: where something in it had the focus, what is drawn in its place has it. */
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : undefined;
  fill(element, ...children);
  if (focused) present(focused, element)?.focus({ preventScroll: true });
  return element;
}

/**
 * The element while it is on the page, and then what stands in its place: the same stop of the part with its `data-key`, or the one link
 * that leads to the same address.
 */
export function present(element, within = document) {
  if (element.isConnected) return element;
  const part = element.closest('[data-key]');
  if (part && !part.isConnected) {
    const drawn = within.querySelector(`[data-key="${CSS.escape(part.dataset.key)}"]`);
    return part === element
      ? drawn
      : drawn?.querySelectorAll(STOPS)[[...part.querySelectorAll(STOPS)].indexOf(element)];
  }
  const href = element.getAttribute('href');
  const links = href === null ? [] : within.querySelectorAll(`a[href="${CSS.escape(href)}"]`);
  return links.length === 1 ? links[0] : undefined;
}

export function byId(id) {
  return document.getElementById(id);
}
