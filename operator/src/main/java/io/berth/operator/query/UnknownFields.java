package io.berth.operator.query;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.introspect.BasicBeanDescription;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The fields of JSON objects that their types do not have, at any depth. */
final class UnknownFields {
  /** The most fields that are named. */
  private static final int MOST = 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The fields of a type, with their types. */
  private static final Map<JavaType, Optional<Map<String, JavaType>>> KNOWN =
      new ConcurrentHashMap<>();

  private final List<String> paths = new ArrayList<>();

  private UnknownFields() {}

  /**
   * Returns the paths of the fields that a type does not have.
   *
   * @param path the path of the object
   */
  static List<String> of(String path, JsonNode object, Class<?> type) {
    UnknownFields unknown = new UnknownFields();
    unknown.look(path, object, JSON.constructType(type));
    return List.copyOf(unknown.paths);
  }

  private void look(String path, JsonNode value, JavaType type) {
    if (value.isArray() && type.isCollectionLikeType()) {
      for (int i = 0; i < value.size(); i++) {
        look("%s[%d]".formatted(path, i), value.get(i), type.getContentType());
      }
    } else if (value.isObject() && type.isMapLikeType()) {
      value
          .properties()
          .forEach(
              field -> look(path + "." + field.getKey(), field.getValue(), type.getContentType()));
    } else if (value.isObject()) {
      fieldsOf(type).ifPresent(fields -> look(path, value, fields));
    }
  }

  private void look(String path, JsonNode object, Map<String, JavaType> fields) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String inside = path + "." + field.getKey();
      JavaType type = fields.get(field.getKey());
      if (type != null) {
        look(inside, field.getValue(), type);
      } else if (paths.size() < MOST) {
        paths.add(inside);
      }
    }
  }

  /** Returns the fields of a type; empty if it takes any, or reads its JSON by itself. */
  private static Optional<Map<String, JavaType>> fieldsOf(JavaType type) {
    return KNOWN.computeIfAbsent(type, UnknownFields::describe);
  }

  private static Optional<Map<String, JavaType>> describe(JavaType type) {
    BasicBeanDescription bean =
        (BasicBeanDescription) JSON.getDeserializationConfig().introspect(type);
    JsonDeserialize reading = bean.getClassAnnotations().get(JsonDeserialize.class);
    boolean readsItself = reading != null && reading.using() != JsonDeserializer.None.class;
    if (readsItself || type.isJavaLangObject() || type.isTypeOrSubTypeOf(JsonNode.class)) {
      return Optional.empty();
    }
    Map<String, JavaType> fields = new TreeMap<>();
    for (BeanPropertyDefinition property : bean.findProperties()) {
      fields.put(property.getName(), property.getPrimaryType());
    }
    return Optional.of(fields);
  }
}
