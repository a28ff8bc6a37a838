package io.berth.sandbox.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that are encoded and decoded again. */
class ProtobufObjectsTest {

  private static ObjectNode tree(String json) throws IOException {
    return (ObjectNode) Json.MAPPER.readTree(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"kind": "Pod", "apiVersion": "v1",
         "metadata": {"name": "web", "creationTimestamp": "2026-01-02T03:04:05Z", "generation": 3,
          "labels": {"app": "web", "empty": ""}, "finalizers": ["a", "b"],
          "managedFields": [{"manager": "kubectl", "fieldsType": "FieldsV1", "time": "2026-01-02T03:04:05Z",
           "fieldsV1": {"f:metadata": {"f:labels": {".": {}}}}}]},
         "spec": {"priority": 0, "hostUsers": false, "nodeSelector": {"disk": "ssd"},
          "containers": [{"name": "main", "resources": {"requests": {"cpu": "250m"}},
           "livenessProbe": {"httpGet": {"path": "/", "port": "http"}},
           "readinessProbe": {"tcpSocket": {"port": 80}},
           "ports": [{"containerPort": 0}]}],
          "volumes": [{"name": "e", "emptyDir": {}}, {"name": "p", "persistentVolumeClaim": {"claimName": "c"}}]},
         "status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False"}]}}
        """,
        """
        {"kind": "PodDisruptionBudget", "apiVersion": "policy/v1", "metadata": {"name": "pdb"},
         "spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 0, "currentHealthy": 0,
          "desiredHealthy": 0, "expectedPods": 0}}
        """,
        """
        {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "cm"}, "data": {"a": ""},
         "binaryData": {"b": "AQI="}}
        """,
        """
        {"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {},
         "spec": {"user": "a", "extra": {"scopes": ["x", "y"]}}, "status": {"allowed": false}}
        """,
        """
        {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": "l"},
         "spec": {"renewTime": "2026-01-02T03:04:05.000600Z", "leaseDurationSeconds": 7}}
        """,
        """
        {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
         "metadata": {"name": "as.example.com"},
         "spec": {"group": "example.com", "scope": "Cluster", "names": {"plural": "as", "kind": "A"},
          "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
           {"type": "object", "properties": {
            "free": {"type": "object", "additionalProperties": true},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "items": {"type": "integer", "maximum": 1.5, "default": 1},
             "enum": [[1], "x"]}}}}}]},
         "status": {"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null}}
        """
      })
  void anObject_isTheSameAfterDecoding(String json) throws IOException {
    ObjectNode object = tree(json);
    ObjectNode decoded =
        tree(ProtobufBodies.decode(ProtobufObjects.encode(object)).toString()); // equal numbers

    assertThat(withoutNulls(decoded)).isEqualTo(withoutNulls(object));
  }

  /** Lists that are null in Go are null in JSON in a few types; they have no protobuf encoding. */
  private static ObjectNode withoutNulls(ObjectNode object) {
    if (object.get("status") instanceof ObjectNode status) {
      status
          .properties()
          .removeIf(field -> field.getValue().isNull() || field.getValue().isEmpty());
    }
    return object;
  }

  @Test
  void whatIsNotAPointer_isWrittenAsInGo() throws IOException {
    byte[] pod = ProtobufObjects.encode(tree("{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}"));

    // The empty name and generateName of its metadata.
    assertThat(pod).containsSequence(1 << 3 | 2, 0, 2 << 3 | 2, 0);
  }

  @Test
  void customResources_cannotBeEncoded() throws IOException {
    ObjectNode object = tree("{\"kind\": \"A\", \"apiVersion\": \"example.com/v1\"}");

    assertThat(ProtobufObjects.knows("example.com/v1", "A")).isFalse();
    assertThatThrownBy(() -> ProtobufObjects.encode(object))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("example.com/v1 A");
  }
}
