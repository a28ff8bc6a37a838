package io.berth.demo.ground;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** Marks the tests of {@code make test-real}, which need a real API server. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("real")
@EnabledIf(
    value = "io.berth.demo.cluster.RealApiServer#isGiven",
    disabledReason =
        "set KUBECONFIG to a cluster, or KUBE_API_TEST_DIR to a folder with kube-apiserver and"
            + " etcd")
public @interface OnRealApiServer {}
