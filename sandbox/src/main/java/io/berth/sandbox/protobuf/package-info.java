/**
 * Kubernetes' protobuf encoding of built-in kinds, which Go clients prefer for request bodies and
 * responses.
 */
@NullMarked
package io.berth.sandbox.protobuf;

import org.jspecify.annotations.NullMarked;
