import type { View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { objectFinding } from './findings';
import { serviceOf } from './topology';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'ReplicationController']);

/** A workload that was scaled to nothing, and is missed by somebody. */
export const workload: Rule = (view: View) =>
  view.objects
    .filter(({ kind, spec }) => WORKLOADS.has(kind) && spec.replicas === 0)
    .map((object): Hypothesis => {
      const service = serviceOf(object);
      const path = object.described ? '/spec/replicas' : '/desiredReplicas';
      return {
        cause: 'DEPLOYMENT_ZERO_REPLICAS',
        object: `Service/${service}`,
        service,
        rank: 'CAUSE',
        headline: `${object.kind} ${object.name} is scaled to 0 replicas`,
        mechanism: `${object.kind} ${object.name} asks for 0 replicas, so ${service} has no instance that could answer.`,
        findings: [
          objectFinding(view, object, `${object.kind} ${object.name} asks for 0 replicas.`, 3, path),
        ],
        actions: [`Scale ${object.name} up again, after asking who scaled it down and why.`],
        recommendations: ['Set a lower bound for replicas where no autoscaler holds one.'],
        lookup: 'deployment scaled to zero replicas',
      };
    });
