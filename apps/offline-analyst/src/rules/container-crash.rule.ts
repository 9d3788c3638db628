import { signatureRule } from './signature';

/** Containers that start and end: memory, configuration, or the program itself. */
export const containerCrash = signatureRule(
  {
    cause: 'OOM_KILLED',
    event: /OOMKill|out of memory|oom-kill/i,
    state: /^OOMKilled/,
    log: /java\.lang\.OutOfMemoryError|JavaScript heap out of memory|\bOOM[- ]?kill|cannot allocate memory|out of memory/i,
    headline: (service) => `${service} runs out of memory and is killed`,
    mechanism: (service) =>
      `The containers of ${service} reach their memory limit, the kernel kills them (OOM), and they restart.`,
    actions: (service) => [
      `Raise the memory limit of ${service} if its use is plausible, to have the service back.`,
      `Compare memory use over time with load: a steady climb at even load is a leak; roll ${service} back if the climb began with its last release.`,
    ],
    recommendations: [
      'Alert on memory near the limit, before the kernel acts.',
      'Set the limit of the runtime (heap) below that of the container.',
    ],
    lookup: 'OOMKilled container memory limit restart',
  },
  {
    cause: 'MISSING_CONFIGURATION',
    event:
      /configmaps? "?[\w.-]+"? not found|couldn't find key \S+ in ConfigMap|references non-existent config key/i,
    state: /configmaps? "?[\w.-]+"? not found|couldn't find key \S+ in ConfigMap/i,
    log: /(?:missing|required|undefined|unset|not set|must be set).{0,50}(?:environment|env(?:ironment)? ?var|config(?:uration)? (?:key|value))|(?:environment variable|env var) .{0,60}(?:missing|not set|required|undefined|empty)|KeyError: '[A-Z_]{3,}'/i,
    headline: (service) => `${service} lacks a secret or a setting that it needs to start`,
    mechanism: (service) =>
      `The containers of ${service} refer to configuration that is not there (not found), so they cannot start or exit at once.`,
    actions: (service) => [
      `Create the secret, config map or variable that the message names, or correct the reference in ${service}.`,
      `Roll ${service} back if the reference came with its last change.`,
    ],
    recommendations: [
      'Ship configuration and the workload that needs it in one change, and check references before the rollout.',
    ],
    lookup: 'CreateContainerConfigError secret configmap not found missing environment variable',
  },
  {
    cause: 'VOLUME_MOUNT_PERMISSION_DENIED',
    event: /(?:FailedMount|MountVolume|Error).{0,200}permission denied/i,
    log: /(?:open|mkdir|write|create|access)\w*.{0,120}(?:permission denied|EACCES)|(?:permission denied|EACCES).{0,60}\/|can't (?:open|create|read|write).{0,120}permission denied|errno:? 13\b.{0,20}permission denied|(?:chown|chmod|mkdir).{0,120}(?:operation not permitted|permission denied)|AccessDeniedException: \//i,
    headline: (service) => `${service} may not use the files of its volume`,
    mechanism: (service) =>
      `The process of ${service} is denied permission on files that it needs, so it exits or cannot store anything.`,
    actions: (service) => [
      `Compare the user that ${service} runs as (runAsUser, fsGroup) with the owner of the volume's files.`,
      'Set fsGroup, or correct the ownership once by an init container.',
    ],
    recommendations: ['Set runAsUser and fsGroup explicitly for workloads with volumes.'],
    lookup: 'volume mount permission denied fsGroup runAsUser',
  },
  {
    cause: 'CONTAINER_CRASH_LOOP',
    rank: 'SYMPTOM',
    event: /BackOff: Back-off restarting failed container|CrashLoopBackOff/i,
    state: /^(?:CrashLoopBackOff|Error|ContainerCannotRun|StartError|RunContainerError)/,
    headline: (service) => `Containers of ${service} crash again and again`,
    mechanism: (service) => `The containers of ${service} exit soon after their start (crash loop).`,
    actions: (service) => [
      `Read the last log lines of the previous container of ${service} (kubectl logs --previous) and its exit code.`,
      `Roll ${service} back if the crashes began with its last change.`,
    ],
    recommendations: [],
    lookup: 'CrashLoopBackOff container exits after start',
  },
);
