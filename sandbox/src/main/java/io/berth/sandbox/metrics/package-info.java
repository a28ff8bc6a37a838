/** The resource usage of simulated nodes and pods, as metrics.k8s.io serves it. */
@NullMarked
package io.berth.sandbox.metrics;

import org.jspecify.annotations.NullMarked;
