/**
 * Runs in a page and gives its faults of structure, for people who listen, who use keys or who see little: names, headings,
 * landmarks, labels, ids, targets and contrast.
 */
export const FAULTS_OF_PAGE = `(() => {
  const faults = [];
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[hidden]');
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const note = (what, one) => faults.push(what + ': ' + one.outerHTML.slice(0, 160));
  const nameOf = (one) => (one.getAttribute('aria-label') || one.textContent || one.getAttribute('title') || '').trim();
  if (document.documentElement.lang !== 'en') faults.push('no language');
  if (!document.title) faults.push('no title');
  if (all('h1').length !== 1) faults.push(all('h1').length + ' h1');
  for (const role of ['main', 'header', 'footer', 'nav']) if (all(role).length === 0 && role !== 'nav') faults.push('no ' + role);
  for (const one of all('a, button, summary')) if (!nameOf(one)) note('no name', one);
  for (const one of all('a:not([href])')) note('a link without a target', one);
  for (const one of all('input:not([type=hidden]), select')) if (one.labels.length === 0 && !one.getAttribute('aria-label')) note('no label', one);
  for (const one of all('svg')) if (!one.getAttribute('aria-hidden') && !one.getAttribute('aria-label')) note('a picture without a name', one);
  for (const one of all('table')) if (!one.caption || one.querySelectorAll('thead th[scope=col]').length === 0) note('a table without a name or heads', one);
  for (const one of all('section')) if (!one.getAttribute('aria-label') && one.querySelector('h2') && !one.closest('section section')) note('a section without a name', one);
  const ids = all('[id]').map(({ id }) => id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('the id twice: ' + id);
  let level = 0;
  for (const one of document.querySelectorAll('h1, h2, h3')) {
    if (!shown(one)) continue;
    const now = Number(one.tagName[1]);
    if (now > level + 1) note('a heading leaves a level out', one);
    level = now;
  }
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const mixed = new Map();
  const rgb = (color, under) => {
    const key = color + ' on ' + under;
    if (!mixed.has(key)) mixed.set(key, painted(color, under));
    return mixed.get(key);
  };
  const painted = (color, under) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = 'rgb(' + under.join(',') + ')';
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (color) => color.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const grounds = new Map([[null, [255, 255, 255]]]);
  const behind = (one) => {
    if (!grounds.has(one)) grounds.set(one, rgb(getComputedStyle(one).backgroundColor, behind(one.parentElement)));
    return grounds.get(one);
  };
  const seen = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(one) || !shown(one) || one.closest('.hidden, .skip, svg, noscript, button:disabled')) continue;
    seen.add(one);
    const under = behind(one);
    const [a, b] = [light(rgb(getComputedStyle(one).color, under)), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) note('contrast ' + ratio.toFixed(2), one);
  }
  for (const one of all('a, button, summary, input:not([type=checkbox]), select')) {
    const { width, height } = one.getBoundingClientRect();
    const inText = getComputedStyle(one).display.startsWith('inline') && one.tagName === 'A';
    if (!inText && width > 0 && (width < 24 || height < 18)) note('a target of ' + Math.round(width) + ' by ' + Math.round(height), one);
  }
  return faults;
})()`;
