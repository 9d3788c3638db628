/** RunRows: the read model. */
export const RUN_ROWS = Symbol('RUN_ROWS');
/** CaseRows: the read model of cases. */
export const CASE_ROWS = Symbol('CASE_ROWS');
/** ReadPool, or null where no database is configured. */
export const READ_POOL = Symbol('READ_POOL');
/** ReadonlySet<string> of source names, or undefined when this gateway does not know them. */
export const CONFIGURED_SOURCES = Symbol('CONFIGURED_SOURCES');
/** PublisherGrant[]: who may ask over the bus. */
export const PUBLISHERS = Symbol('PUBLISHERS');
