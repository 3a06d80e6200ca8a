const COMPARISONS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
/** Comments and texts first, so that nothing in them is taken for code. What stands behind `??` is there for the types. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<= )(?:<=?|>=?|[!=]==)(?= )|(?<![\w.$]|\?\? )(?:0x[\da-f_]+|\d[\d_]*)n?(?![\w.])/gi;

/**
 * Each way to change one number or one comparison of a compiled module.
 *
 * @param {string} source
 * @returns {{ text: string, line: string, change: string }[]} The whole text, the old line, and the change.
 */
export function mutantsOf(source) {
  return [...source.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
    const changed = COMPARISONS[token] ?? (/^\d/.test(token) ? nextNumber(token) : undefined);
    if (changed === undefined) return [];
    const text = source.slice(0, index) + changed + source.slice(index + token.length);
    const start = source.lastIndexOf('\n', index) + 1;
    const end = source.indexOf('\n', index);
    const line = source.slice(start, end === -1 ? undefined : end).trim();
    return [{ text, line, change: `${token} -> ${changed}` }];
  });
}

/** @param {string} token */
function nextNumber(token) {
  const digits = token.replaceAll('_', '').replace(/n$/, '');
  return `${BigInt(digits) + 1n}${token.endsWith('n') ? 'n' : ''}`;
}
