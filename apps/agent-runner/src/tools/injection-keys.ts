/** Environments: the named sources that a request can pick, with what serves each. */
export const ENVIRONMENTS = Symbol('ENVIRONMENTS');
