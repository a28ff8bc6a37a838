/**
 * The controllers of a cluster, as far as the sandbox needs them: workloads, disruption budgets,
 * node taints, garbage collection.
 */
@NullMarked
package io.berth.sandbox.controller;

import org.jspecify.annotations.NullMarked;
