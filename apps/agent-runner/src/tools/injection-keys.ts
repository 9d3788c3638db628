/** IncidentSources: the folders that a request can name. */
export const INCIDENT_SOURCES = Symbol('INCIDENT_SOURCES');
