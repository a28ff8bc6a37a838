package io.berth.operator.feed;

/** A pod with every field that Berth reads, and others. */
final class SamplePod {
  /** Fields of every part of a pod; those named "skipped" are not read. */
  static final String JSON =
      """
      {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "web-1", "namespace": "team", "uid": "u", "resourceVersion": "7",
        "generateName": "web-", "creationTimestamp": "2026-01-02T03:04:05Z", "deletionTimestamp": "2026-01-02T04:04:05Z",
        "labels": {"app": "web"},
        "annotations": {"sched.cloud.ctrip.com/policy": "online",
         "gpu.sched.cloud.ctrip.com/cards": "{\\"main\\": [\\"0\\"]}", "note": "skipped"},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r",
         "controller": true}],
        "finalizers": ["skipped"],
        "managedFields": [{"manager": "skipped", "fieldsV1": {"f:metadata": {"f:labels": {}}}}]},
       "spec": {"schedulerName": "berth", "nodeName": "n1", "priority": 5, "priorityClassName": "high",
        "preemptionPolicy": "Never", "hostNetwork": true, "hostUsers": false, "restartPolicy": "Never",
        "nodeSelector": {"disk": "ssd"}, "overhead": {"cpu": "10m"},
        "resources": {"requests": {"cpu": "2"}}, "schedulingGroup": {"podGroupName": "gang"},
        "schedulingGates": [{"name": "hold"}],
        "resourceClaims": [{"name": "claim", "resourceClaimName": "c"},
         {"name": "made", "resourceClaimTemplateName": "t"}],
        "tolerations": [{"key": "dedicated", "operator": "Exists", "tolerationSeconds": 0},
         {"key": "spot", "value": "yes", "effect": "NoExecute"}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
         "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2, "matchLabelKeys": ["pod-template-hash"],
         "nodeAffinityPolicy": "Honor", "nodeTaintsPolicy": "Ignore",
         "labelSelector": {"matchLabels": {"app": "web"},
          "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]}}],
        "affinity": {
         "nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
           {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}],
            "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n9"]}]}, {}]},
          "preferredDuringSchedulingIgnoredDuringExecution": [
           {"weight": 5, "preference": {"matchExpressions": [{"key": "rack", "operator": "Exists"}]}}]},
         "podAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": [
           {"topologyKey": "zone", "namespaces": ["team"], "labelSelector": {}}],
          "preferredDuringSchedulingIgnoredDuringExecution": [
           {"weight": 7, "podAffinityTerm": {"topologyKey": "rack", "namespaceSelector": {},
            "labelSelector": {"matchLabels": {"app": "db"}},
            "matchLabelKeys": ["a"], "mismatchLabelKeys": ["b"]}}]},
         "podAntiAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": [
           {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}],
          "preferredDuringSchedulingIgnoredDuringExecution": [
           {"weight": 1, "podAffinityTerm": {"topologyKey": "rack"}}]}},
        "securityContext": {"runAsUser": 1},
        "initContainers": [{"name": "side", "image": "side:1", "restartPolicy": "Always",
         "env": [{"name": "A", "value": "skipped"}],
         "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}],
         "resources": {"requests": {"cpu": "50m"}}}],
        "containers": [{"name": "main", "image": "web:1", "command": ["skipped"],
         "env": [{"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
         "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
         "ports": [{"containerPort": 80, "hostPort": 8080, "protocol": "UDP", "hostIP": "10.0.0.1"}],
         "resources": {"requests": {"cpu": "1", "memory": "1Gi"},
          "claims": [{"name": "claim"}], "limits": {"gpu.sched.cloud.ctrip.com/milli-gpu": "1000"}}}],
        "volumes": [
         {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
         {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
         {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "skipped"}}}},
         {"name": "disk", "awsElasticBlockStore": {"volumeID": "v"}},
         {"name": "azure", "azureDisk": {"diskName": "a", "diskURI": "u"}},
         {"name": "cinder", "cinder": {"volumeID": "c"}},
         {"name": "csi", "csi": {"driver": "d"}},
         {"name": "gce", "gcePersistentDisk": {"pdName": "p", "readOnly": true}},
         {"name": "iscsi", "iscsi": {"targetPortal": "t", "iqn": "i", "lun": 1, "readOnly": true}},
         {"name": "portworx", "portworxVolume": {"volumeID": "w"}},
         {"name": "rbd", "rbd": {"monitors": ["m", "m2"], "image": "i", "pool": "rbd", "readOnly": true}},
         {"name": "model", "image": {"reference": "model:1"}}]},
       "status": {"resourceClaimStatuses": [{"name": "made", "resourceClaimName": "made-1"}], "phase": "Failed", "reason": "Evicted", "message": "disk is full",
        "nominatedNodeName": "n2", "startTime": "2026-01-02T03:05:00Z", "podIP": "10.0.0.2",
        "resources": {"limits": {"cpu": "5"}, "requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "4"},
        "conditions": [
         {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "full",
          "lastTransitionTime": "2026-01-02T03:05:02Z", "observedGeneration": 3},
         {"type": "PodResizePending", "status": "True", "reason": "Infeasible"},
         {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}],
        "initContainerStatuses": [{"name": "side", "resources": {"requests": {"cpu": "80m"}}}],
        "containerStatuses": [{"name": "main", "image": "web:1", "containerID": "skipped",
         "state": {"running": {"startedAt": "2026-01-02T03:05:01Z"}},
         "resources": {"requests": {"cpu": "2"}}, "allocatedResources": {"cpu": "3"}}]}}
      """;

  private SamplePod() {}
}
