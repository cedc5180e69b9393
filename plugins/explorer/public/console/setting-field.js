// The field in which a setting is changed, made from its schema, and the value that stands in it.

/** A field as `drawnField` takes it. */
export function fieldFor(shape, value) {
  const field = { name: 'value', label: 'New value', hint: hintOf(shape) };
  const choices = shape.enum ?? (shape.type === 'boolean' ? [true, false] : undefined);
  if (choices) {
    const options = choices.map((one) => [String(one), String(one)]);
    return { ...field, kind: 'select', options, initial: String(value ?? choices[0]) };
  }
  if (shape.type === 'array') {
    const lines = Array.isArray(value) ? value.join('\n') : '';
    return { ...field, kind: 'textarea', initial: lines };
  }
  if (isNumber(shape)) {
    const { minimum: min, maximum: max } = shape;
    return {
      ...field,
      kind: 'number',
      min,
      max,
      step: shape.type === 'integer' ? 1 : 'any',
      required: true,
      initial: value,
    };
  }
  return { ...field, required: shape.minLength > 0, initial: value };
}

/** The value of a text as the schema wants it; the node checks it. */
export function valueIn(shape, text) {
  if (shape.enum) return shape.enum.find((one) => String(one) === text);
  if (shape.type === 'boolean') return text === 'true';
  if (isNumber(shape)) return Number(text);
  if (shape.type !== 'array') return text;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return isNumber(shape.items ?? {}) ? lines.map(Number) : lines;
}

function isNumber({ type }) {
  return type === 'integer' || type === 'number';
}

function hintOf({ type, minimum, maximum, maxLength, minItems, maxItems }) {
  if (type === 'array') {
    const count = minItems === maxItems ? `${maxItems} of them` : `at most ${maxItems}`;
    return maxItems === undefined ? 'One a line.' : `One a line, ${count}.`;
  }
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  if (minimum !== undefined) return `At least ${minimum}.`;
  return maxLength === undefined ? '' : `At most ${maxLength} characters.`;
}
