/** RunRows: the read model. */
export const RUN_ROWS = Symbol('RUN_ROWS');
/** ReadonlySet<string> of source names, or undefined when this gateway does not know them. */
export const CONFIGURED_SOURCES = Symbol('CONFIGURED_SOURCES');
/** PublisherGrant[]: who may ask over the bus. */
export const PUBLISHERS = Symbol('PUBLISHERS');
