/** No workflows: what a worker of the SDK starts with when it has nothing to do. */
export {};
