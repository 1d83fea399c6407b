/** No workflows: the smallest bundle of a worker of the SDK. */
export {};
