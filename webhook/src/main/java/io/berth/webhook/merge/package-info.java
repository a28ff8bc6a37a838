/**
 * Merges rendered templates into a pod's spec, without removing or relaxing any of the pod's own
 * constraints.
 */
@NullMarked
package io.berth.webhook.merge;

import org.jspecify.annotations.NullMarked;
