/**
 * Reads Kubernetes' protobuf form of built-in kinds, which Go clients prefer for what they send.
 */
@NullMarked
package io.berth.sandbox.protobuf;

import org.jspecify.annotations.NullMarked;
