import { isMeshError, MeshError } from '../contracts/errors.ts';
import type { HandledCall, RouteAnswer } from './handle-route.ts';

/** Takes the payment for a call that is sold before it is answered; an answer below 400 that has left uses the payment up. */
export async function sold(
  { served, admitted, ip }: HandledCall,
  answer: () => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  const { charge } = served.guard;
  if (!charge) return answer();
  const charged = await charge(admitted.principal, ip);
  try {
    const given = await answer();
    const isServed = given.status < 400;
    if (!isServed) await charged.failed();
    const sent = async () => {
      if (isServed) await charged.served();
      await given.sent?.();
    };
    return { ...given, headers: { ...given.headers, ...charged.headers }, sent };
  } catch (error) {
    await charged.failed();
    throw isMeshError(error)
      ? new MeshError(error.code, { ...error.details, headers: { ...error.details.headers, ...charged.headers } })
      : error;
  }
}
