/** js-libp2p 3 is written for Node 22: without this its first dial fails with a misleading ECONNRESET. */
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};
