/**
 * The cluster controllers that the sandbox needs: workloads, volume binding, disruption budgets,
 * quotas, node taints, and garbage collection.
 */
@NullMarked
package io.berth.sandbox.controller;

import org.jspecify.annotations.NullMarked;
