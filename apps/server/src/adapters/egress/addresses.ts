import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Well-known prefix of NAT64 (RFC 6052): the last four bytes are the IPv4 address that is reached. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
/** The only part of IPv6 that is routed globally (RFC 4291 section 2.4); ranges within it are excluded by name. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

/** Azure's WireServer: public by its range, and the metadata service of every virtual machine there. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an address belongs to the public internet. Private, loopback, link-local (with cloud metadata services),
 * shared, documentation, benchmark, multicast and reserved ranges do not, nor do tunnels that could lead to them.
 * Text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const [withoutZone = ''] = address.split('%', 1);
  if (isIP(withoutZone) === 0) return false;
  // Unwraps `::ffff:a.b.c.d`.
  return isPublic(ipaddr.process(withoutZone));
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address instanceof ipaddr.IPv4)
    return address.range() === 'unicast' && address.toString() !== AZURE_PLATFORM;
  if (address.match(NAT64, 96)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST, 3);
}
