import { isIPv4, isIPv6 } from 'node:net';
import type { Step } from './marker';

const EMAIL =
  /(?<![A-Za-z0-9._%+:/-])(?!git@)[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}([A-Za-z]{2,24})(?![A-Za-z0-9-])/g;
/** `getty@tty1.service` is a unit of systemd. */
const UNIT = /^(?:service|socket|timer|target|mount|automount|slice|scope|path|device|swap)$/i;

export const redactEmails: Step = (text, mark) =>
  text.includes('@')
    ? text.replace(EMAIL, (address, top: string) => (UNIT.test(top) ? address : mark('email', address)))
    : text;

const IPV4 = /(?<![\w.:-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.-])/g;
const IPV6 =
  /(?<![\w:.])(?=[0-9a-f:]{0,44}:[0-9a-f]{0,4}:)[0-9a-f:]{3,45}(?:(?:\d{1,3}\.){3}\d{1,3})?(?![\w:.])/gi;

/** Loopback, private, carrier, link-local, documentation and multicast ranges: nobody's address on the internet. */
const LOCAL_IPV4 =
  /^(?:0\.|10\.|127\.|169\.254\.|192\.168\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|2(?:2[4-9]|[345]\d)\.)/;
const LOCAL_IPV6 = /^(?:::1?$|f[cd]|fe[89ab]|ff|2001:db8:)/i;

/** `public`: only addresses that may be somebody's. Those of a cluster are what a diagnosis is made of. */
export const redactIps =
  (which: 'public' | 'all'): Step =>
  (text, mark) =>
    text
      .replace(IPV4, (address) =>
        isIPv4(address) && (which === 'all' || !LOCAL_IPV4.test(address)) ? mark('ip', address) : address,
      )
      .replace(IPV6, (address) =>
        isIPv6(address) && (which === 'all' || !LOCAL_IPV6.test(address)) ? mark('ip', address) : address,
      );
