import { signatureRule } from './signature';

/** What a program finds around itself: certificates, disks, brokers. */
export const environment = signatureRule(
  {
    cause: 'TLS_CERTIFICATE_EXPIRED',
    log: /certificate (?:has )?expired|x509: certificate has expired|CERT_HAS_EXPIRED|certificate is not valid (?:yet|anymore)|not yet valid|SSL_ERROR_EXPIRED|notAfter/i,
    headline: (service) => `A TLS certificate that ${service} meets has expired`,
    mechanism: (service) =>
      `The TLS certificate is past its validity (expired), so that the handshake fails and calls of ${service} do not get through.`,
    actions: () => [
      'Find the certificate that the failing lines name and look at its dates; renew it and reload the server that presents it.',
      'If it was renewed already, restart what still holds the old one in memory.',
    ],
    recommendations: ['Renew certificates by machine, and alert weeks before they end.'],
    lookup: 'TLS certificate expired renewal',
  },
  {
    cause: 'TLS_CERTIFICATE_NOT_TRUSTED',
    log: /unknown authority|self[- ]signed certificate|unable to verify the first certificate|UNABLE_TO_VERIFY|certificate verify failed|DEPTH_ZERO_SELF_SIGNED|PKIX path building failed|certificate is (?:not )?valid for/i,
    headline: (service) => `${service} does not trust the certificate of its neighbour`,
    mechanism: (service) =>
      `The TLS certificate of the neighbour cannot be verified by ${service}, so that the handshake fails.`,
    actions: (service) => [
      `Compare issuer and names of the certificate with the CA bundle and the host name that ${service} uses.`,
    ],
    recommendations: ['Distribute CA bundles before certificates that need them.'],
    lookup: 'TLS certificate verify failed unknown authority',
  },
  {
    cause: 'DISK_FULL',
    log: /no space left on device|ENOSPC|disk (?:is )?full|could not (?:extend|write).{0,60}(?:space|disk)|insufficient disk|disk quota exceeded/i,
    event: /no space left on device|DiskPressure|FreeDiskSpaceFailed/i,
    headline: (service) => `The disk that ${service} writes to is full`,
    mechanism: (service) => `The disk has no space left, so that writes of ${service} fail.`,
    actions: () => [
      'Free space at once: old logs, core dumps, dead replication slots, orphaned files; then restart what stopped.',
      'Find what grew: compare the largest folders with yesterday, or look at write-ahead logs and retention.',
    ],
    recommendations: [
      'Alert on free space by the time that is left at the present rate, and give logs and queues a bound.',
    ],
    lookup: 'disk full no space left on device',
  },
  {
    cause: 'NATS_STORE_TROUBLE',
    log: /jetstream.{0,40}(?:insufficient|resource limits? exceeded|no space|maximum (?:bytes|messages) exceeded)|maximum (?:bytes|messages) exceeded|slow consumer/i,
    headline: (service) => `The message broker cannot keep up, as ${service} reports`,
    mechanism: (service) =>
      `The message queue reached a limit (backlog or storage), so that messages of ${service} are refused or consumers are cut off.`,
    actions: () => [
      'Look at streams and consumers: pending messages, redeliveries, storage used, limits.',
      'Speed up or scale the consumer that lags, or raise the limit of the stream.',
    ],
    recommendations: ['Alert on pending messages per consumer and on storage near its limit.'],
    lookup: 'NATS JetStream slow consumer stream limit backlog',
  },
);
