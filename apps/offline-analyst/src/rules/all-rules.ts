import { admission } from './admission.rule';
import { anomalies } from './anomalies.rule';
import { changeOnset } from './change-onset.rule';
import { connectionPool } from './connection-pool.rule';
import { containerCrash } from './container-crash.rule';
import { databaseAccess } from './database-access.rule';
import { databaseAddress } from './database-address.rule';
import { databaseLocks } from './database-locks.rule';
import { databaseServer } from './database-server.rule';
import { environment } from './environment.rule';
import { failingService } from './failing-service.rule';
import type { Rule } from './finding';
import { imagePull } from './image-pull.rule';
import { misconfiguredPod } from './misconfigured-pod.rule';
import { nameResolution } from './name-resolution.rule';
import { node } from './node.rule';
import { probes } from './probes.rule';
import { quota } from './quota.rule';
import { queueLag } from './queue-lag.rule';
import { saturation } from './saturation.rule';
import { scheduling } from './scheduling.rule';
import { serviceRouting } from './service-routing.rule';
import { upstream } from './upstream.rule';
import { volumeClaim } from './volume-claim.rule';
import { wrongAddress } from './wrong-address.rule';
import { workload } from './workload.rule';

/** Every rule looks at every investigation; their order is the order of equals. */
export const RULES: readonly Rule[] = [
  connectionPool,
  databaseAccess,
  databaseServer,
  databaseAddress,
  databaseLocks,
  admission,
  quota,
  scheduling,
  volumeClaim,
  imagePull,
  misconfiguredPod,
  containerCrash,
  probes,
  serviceRouting,
  workload,
  node,
  wrongAddress,
  nameResolution,
  environment,
  saturation,
  anomalies,
  queueLag,
  changeOnset,
  upstream,
  failingService,
];
