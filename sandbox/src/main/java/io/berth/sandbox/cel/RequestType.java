package io.berth.sandbox.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import java.util.Map;
import java.util.Optional;

/** The CEL type of the variable {@code request} of webhooks and admission policies. */
public final class RequestType {
  private static final CelType KIND =
      struct(
          "kubernetes.GroupVersionKind",
          Map.of(
              "group", SimpleType.STRING, "version", SimpleType.STRING, "kind", SimpleType.STRING));
  private static final CelType RESOURCE =
      struct(
          "kubernetes.GroupVersionResource",
          Map.of(
              "group",
              SimpleType.STRING,
              "version",
              SimpleType.STRING,
              "resource",
              SimpleType.STRING));
  private static final CelType USER =
      struct(
          "kubernetes.UserInfo",
          Map.of(
              "username",
              SimpleType.STRING,
              "uid",
              SimpleType.STRING,
              "groups",
              ListType.create(SimpleType.STRING),
              "extra",
              MapType.create(SimpleType.STRING, ListType.create(SimpleType.STRING))));
  private static final CelType REQUEST =
      struct(
          "kubernetes.AdmissionRequest",
          ImmutableMap.<String, CelType>builder()
              .put("uid", SimpleType.STRING)
              .put("kind", KIND)
              .put("resource", RESOURCE)
              .put("subResource", SimpleType.STRING)
              .put("requestKind", KIND)
              .put("requestResource", RESOURCE)
              .put("requestSubResource", SimpleType.STRING)
              .put("name", SimpleType.STRING)
              .put("namespace", SimpleType.STRING)
              .put("operation", SimpleType.STRING)
              .put("userInfo", USER)
              .put("dryRun", SimpleType.BOOL)
              .put("options", SimpleType.DYN)
              .buildOrThrow());

  private RequestType() {}

  /** Returns the type. */
  public static CelType type() {
    return REQUEST;
  }

  /** Returns a provider of the type and of those of its fields. */
  public static CelTypeProvider provider() {
    ImmutableMap.Builder<String, CelType> all = ImmutableMap.builder();
    for (CelType type : new CelType[] {REQUEST, KIND, RESOURCE, USER}) {
      all.put(type.name(), type);
    }
    return new Provider(all.buildOrThrow());
  }

  private static CelType struct(String name, Map<String, CelType> fields) {
    ImmutableMap<String, CelType> known = ImmutableMap.copyOf(fields);
    return StructType.create(name, known.keySet(), field -> Optional.ofNullable(known.get(field)));
  }

  private record Provider(ImmutableMap<String, CelType> structs) implements CelTypeProvider {
    @Override
    public ImmutableCollection<CelType> types() {
      return structs.values();
    }

    @Override
    public Optional<CelType> findType(String typeName) {
      return Optional.ofNullable(structs.get(typeName));
    }
  }
}
