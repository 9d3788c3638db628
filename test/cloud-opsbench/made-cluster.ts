/** `Warning  Failed  message` about an object, as kubectl prints it. */
export type MadeEvent = [type: 'Normal' | 'Warning', reason: string, message: string, count?: number];

/** A workload with its service, replica set and pod; what a test does not say is well. */
export type MadeApp = {
  name: string;
  port: number;
  image: string;
  calls: string[];
  node: string;
  replicas: number;
  /** False: the controller could not create it. */
  hasPod: boolean;
  hasService: boolean;
  podStatus: string;
  ready: boolean;
  restarts: number;
  /** What `describe` prints below the container: its state and its last one. */
  state: string[];
  env: [string, string][];
  probes: { Liveness?: string; Readiness?: string };
  sidecars: { name: string; port: number }[];
  nodeSelector: string | null;
  claim: string | null;
  selector: string;
  servicePort: number;
  targetPort: number;
  protocol: 'TCP' | 'UDP';
  podEvents: MadeEvent[];
  setEvents: MadeEvent[];
  deploymentEvents: MadeEvent[];
  logs: string[];
  connects: boolean;
};

export type MadeClaim = {
  name: string;
  usedBy: string;
  status: 'Bound' | 'Pending';
  storageClass: string;
  modes: string;
  volume: string;
  requested: string;
  selector: string | null;
  events: MadeEvent[];
};
export type MadeVolume = {
  name: string;
  storageClass: string;
  modes: string;
  capacity: string;
  labels: string;
  status: string;
  claim: string;
};
export type MadeNode = {
  name: string;
  isControl: boolean;
  taints: string;
  unschedulable: boolean;
  labels: string[];
  ready: [status: string, reason: string, message: string];
  stopped: string[];
  events: MadeEvent[];
};
export type MadeQuota = { name: string; resource: string; used: string; hard: string };

export type MadeCluster = {
  namespace: string;
  apps: MadeApp[];
  nodes: MadeNode[];
  claims: MadeClaim[];
  volumes: MadeVolume[];
  quotas: MadeQuota[];
  /** Of pods that are not there any more. */
  staleEvents: MadeEvent[];
  alerts: { type: 'Service' | 'Node'; name: string; evidence: string[] }[];
};
