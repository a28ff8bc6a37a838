/**
 * Merging what templates render into a pod's spec, so that what the pod asks for is never dropped
 * and never loosened.
 */
@NullMarked
package io.berth.webhook.merge;

import org.jspecify.annotations.NullMarked;
