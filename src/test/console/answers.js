// The answers of a server, as the API's description shows them. RealExamplesTest compares these with the answers of a real one.
const described = await (await fetch('/answers.json')).json();

/**
 * Returns a copy of `one` with other values.
 *
 * @param {object} one
 * @param {object} [more] throws for a member that `one` does not have: a server would not send it
 */
export function changed(one, more = {}) {
  for (const name of Object.keys(more)) {
    if (!(name in one)) throw new Error(`no answer has ${name}, but ${Object.keys(one).join(', ')}`);
  }
  return { ...structuredClone(one), ...more };
}

/** @param {string} operation its `operationId` @returns {any} its answer; {@link changed} is for other values */
export function answerOf(operation) {
  if (!(operation in described)) throw new Error(`the description has no operation ${operation} with an answer`);
  return structuredClone(described[operation]);
}
