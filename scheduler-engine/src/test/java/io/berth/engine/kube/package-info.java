/** Tests of the compilers of Kubernetes objects. */
@NullMarked
package io.berth.engine.kube;

import org.jspecify.annotations.NullMarked;
