import type { ReadOnlyTool } from '../tool';
import { activeAlerts } from './active-alerts.tool';
import { describeObject } from './describe-object.tool';
import { listMetrics } from './list-metrics.tool';
import { listObjects } from './list-objects.tool';
import { queryMetric } from './query-metric.tool';
import { searchLogs } from './search-logs.tool';
import { serviceDependencies } from './service-dependencies.tool';

/** Every tool over one incident source, in the order in which a model reads them. */
export const INCIDENT_TOOLSET_TOOLS: readonly ReadOnlyTool[] = [
  activeAlerts,
  serviceDependencies,
  listObjects,
  describeObject,
  searchLogs,
  listMetrics,
  queryMetric,
];
