// Assertions of the unit tests. Each throws an Error that contains the expected and the actual value.

/** @param {unknown} value @returns {string} */
const show = value => JSON.stringify(value, (_, v) => ArrayBuffer.isView(v) ? Array.from(/** @type {any} */ (v)) : v) ?? String(value);

/** Fails unless `condition` holds. @param {unknown} condition @param {string} [what] */
export function ok(condition, what = 'condition') {
  if (!condition) throw new Error(`${what} does not hold`);
}

/** Fails unless both are equal as JSON; typed arrays count as arrays. @param {unknown} actual @param {unknown} expected @param {string} [what] */
export function equal(actual, expected, what = '') {
  if (show(actual) !== show(expected)) throw new Error(`${what}\nexpected ${show(expected)}\n but was ${show(actual)}`);
}

/** Fails unless `action` throws an error whose message matches. @param {() => unknown} action @param {RegExp} pattern @returns {Error} */
export function fails(action, pattern) {
  let error = null;
  try {
    action();
  } catch (e) {
    error = /** @type {Error} */ (e);
  }
  if (!error) throw new Error(`no error, expected ${pattern}`);
  if (!pattern.test(error.message)) throw new Error(`expected ${pattern}\n but was ${error.message}`);
  return error;
}

/** Waits until `condition` holds, at most 5 s. @param {() => unknown} condition @param {string} [what] */
export async function until(condition, what = 'condition') {
  const end = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} does not hold after 5 s`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
