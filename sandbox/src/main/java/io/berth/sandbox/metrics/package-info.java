/** The resource usage of simulated nodes and pods, served as metrics.k8s.io. */
@NullMarked
package io.berth.sandbox.metrics;

import org.jspecify.annotations.NullMarked;
