/**
 * Kubernetes' protobuf encoding of the objects that Berth sends and receives most: Bindings and
 * pods. Field numbers are those of generated.proto in k8s.io/api and k8s.io/apimachinery.
 */
@NullMarked
package io.berth.operator.protobuf;

import org.jspecify.annotations.NullMarked;
