import type { View } from '../evidence/view';
import type { Rule } from './finding';
import { signatureRule, type Signature } from './signature';
import { serviceOfEvent } from './topology';

const PULL = String.raw`(?:Failed to pull image|ErrImagePull|ImagePullBackOff|Back-off pulling image|InspectFailed|InvalidImageName)`;
const when = (why: string): Pick<Signature, 'event' | 'state'> => {
  const pattern = new RegExp(`${PULL}[\\s\\S]*(?:${why})`, 'i');
  return { event: pattern, state: pattern };
};

const INCORRECT: Signature = {
  cause: 'INCORRECT_IMAGE_REFERENCE',
  ...when(
    'manifest unknown|not found|does not exist|invalid reference|InvalidImageName|repository name must be|no match for platform|pull access denied',
  ),
  headline: (service) => `The image reference that ${service} names does not exist in its registry`,
  mechanism: (service) =>
    `The image reference that ${service} names is unknown to the registry (not found), so the image pull fails and the containers do not start.`,
  actions: (service) => [
    `Compare repository and tag of the image of ${service} with what the registry holds.`,
    `Roll ${service} back to the last image that ran.`,
  ],
  recommendations: [
    'Deploy images by digest, and let the pipeline check that the image exists before it rolls out.',
  ],
  lookup: 'ImagePullBackOff image not found wrong tag',
};

const pull = signatureRule(
  {
    cause: 'IMAGE_REGISTRY_DNS_FAILURE',
    ...when(
      'no such host|server misbehaving|dial tcp: lookup|i/o timeout.{0,40}lookup|Temporary failure in name resolution',
    ),
    headline: (service) =>
      `The image of ${service} cannot be pulled, since the name of its registry cannot be resolved`,
    mechanism: (service) =>
      `The node cannot resolve the host name of the image registry, so the image pull fails and the containers of ${service} do not start.`,
    actions: (service) => [
      `Check the registry's host name in the image reference of ${service} for a typing error.`,
      'If the name is right, resolve it on the node and check the DNS servers that the node uses.',
    ],
    recommendations: ['Mirror the images that production needs in a registry of your own.'],
    lookup: 'ImagePullBackOff registry name does not resolve DNS',
  },
  {
    cause: 'MISSING_IMAGE_PULL_SECRET',
    ...when(
      'unauthorized|authentication required|no basic auth credentials|401 Unauthorized|403 Forbidden|insufficient_scope|authorization failed',
    ),
    headline: (service) => `The image of ${service} cannot be pulled, since the registry wants credentials`,
    mechanism: (service) =>
      `The registry answers the image pull with unauthorized: the pods of ${service} bring no credentials that it accepts, so their containers do not start.`,
    actions: (service) => [
      `Check imagePullSecrets of ${service} and of its service account, and that the secret exists in its namespace.`,
      'Pull the image by hand with the credentials of that secret, to see whether they are still valid.',
    ],
    recommendations: [
      'Attach the pull secret to the service account, so that a deployment cannot forget it.',
    ],
    lookup: 'ImagePullBackOff unauthorized image pull secret',
  },
  INCORRECT,
  {
    cause: 'IMAGE_PULL_FAILING',
    rank: 'SYMPTOM',
    event: new RegExp(PULL, 'i'),
    state: new RegExp(PULL, 'i'),
    headline: (service) => `The image of ${service} cannot be pulled`,
    mechanism: (service) => `The image pull of ${service} fails, so its containers do not start.`,
    actions: (service) => [`Describe a pod of ${service} and read the message of its last pull.`],
    recommendations: [],
    lookup: 'ImagePullBackOff image pull failing',
  },
);

/** What a registry answers to a name that it does not know as well as to one that it does not show. */
const AMBIGUOUS =
  /pull access denied|insufficient_scope|403 Forbidden|may not exist|permission .{0,60}denied/i;
const IMAGE = /[Ii]mage "([^"@]+\/)[^"/]+"/;

const folderOf = (message: string): string | undefined => IMAGE.exec(message)?.[1];

/** Whether others take their images from the same place, so that the way there is open. */
const isShared = (view: View, service: string): boolean => {
  const pulls = view.events.filter(({ message }) => IMAGE.test(message));
  const own = pulls.filter(
    (event) => serviceOfEvent(view, event) === service && AMBIGUOUS.test(event.message),
  );
  return own.some(({ message }) =>
    pulls.some(
      (other) =>
        ['Pulled', 'Pulling', 'Created'].includes(other.reason) &&
        serviceOfEvent(view, other) !== service &&
        folderOf(other.message) === folderOf(message),
    ),
  );
};

/** The same as an unknown name, told by a registry that says no more than "denied". */
const denied = signatureRule({ ...INCORRECT, ...when(AMBIGUOUS.source) });

/**
 * A container image cannot be fetched: its name, the credentials, or the way to the registry. "Denied" for a name in a place
 * from where others fetch theirs speaks of the name.
 */
export const imagePull: Rule = (view) => {
  const found = pull(view);
  const shared = new Set(
    found.flatMap(({ service }) => (service && isShared(view, service) ? [service] : [])),
  );
  const isTaken = (cause: string, service: string | null): boolean =>
    found.some((hypothesis) => hypothesis.cause === cause && hypothesis.service === service);
  return [
    ...found.filter(
      ({ cause, service }) =>
        cause !== 'MISSING_IMAGE_PULL_SECRET' || service === null || !shared.has(service),
    ),
    ...denied(view).filter(
      ({ cause, service }) => service !== null && shared.has(service) && !isTaken(cause, service),
    ),
  ];
};
