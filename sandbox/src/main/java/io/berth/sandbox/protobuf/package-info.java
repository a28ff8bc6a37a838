/**
 * Decoding of Kubernetes' protobuf encoding of built-in kinds, which Go clients can use for request
 * bodies.
 */
@NullMarked
package io.berth.sandbox.protobuf;

import org.jspecify.annotations.NullMarked;
