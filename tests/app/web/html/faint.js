// The texts in sight whose contrast with what they stand on is less than `least`.
(least) => {
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = color; paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => [r, g, b].map((one) => one / 255)
    .map((one) => one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4)
    .reduce((sum, one, at) => sum + one * [.2126, .7152, .0722][at], 0);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const seen = (element) => element.getClientRects().length > 0
    && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const faint = [];
  const check = (element, color, text) => {
    let strength = 1;
    for (let at = element; at; at = at.parentElement) strength *= Number(getComputedStyle(at).opacity);
    const under = ground(element), [r, g, b, a] = rgba(color), shown = over([r, g, b, a * strength], under);
    const [high, low] = [light(shown), light(under)].sort((one, other) => other - one);
    const ratio = (high + .05) / (low + .05);
    const told = `${text.trim().slice(0, 40)} ${element.tagName}.${element.className}`;
    if (ratio < least) faint.push(`${ratio.toFixed(2)} ${told}`);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.data, element = walk.currentNode.parentElement;
    const apart = element.closest('script, style, noscript, svg, :disabled');
    if (/[\p{L}\p{N}]/u.test(text) && !apart && seen(element)) check(element, getComputedStyle(element).color, text);
  }
  for (const field of document.querySelectorAll('input[placeholder], textarea[placeholder]')) {
    const { color } = getComputedStyle(field, '::placeholder');
    if (field.placeholder && seen(field)) check(field, color, field.placeholder);
  }
  return [...new Set(faint)];
}
