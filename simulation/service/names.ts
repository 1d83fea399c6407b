export const NAMESPACE = 'default';
export const TASK_QUEUE = 'gangway';
