package dev.holdfast.exec;

import dev.holdfast.scope.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the methods of the code under test call, in the order of their instructions. */
final class Bytecode {
  /** A method, by the simple names of class and method: overloads are one. */
  record Method(String type, String name) {
    @Override
    public String toString() {
      return type + "." + name;
    }
  }

  /** A call, or what comes of it later: a method handle counts where it is made. */
  record Call(Method target, boolean direct) {}

  /** Entering a monitor, as if it were a call. */
  static final Method MONITOR = new Method("monitor", "enter");

  private final Map<Method, List<Call>> calls = new LinkedHashMap<>();
  private final Map<String, String> supertypes = new LinkedHashMap<>();
  private final Map<String, String> packages = new LinkedHashMap<>();
  private final List<Field> fields = new ArrayList<>();

  private record Field(String name, String type) {}

  private Bytecode() {}

  /** Reads the classes of the core and of exec. */
  static Bytecode ofMain() {
    var read = new Bytecode();
    read.classesBeside(Scope.class);
    read.classesBeside(Exec.class);
    return read;
  }

  Map<Method, List<Call>> calls() {
    return calls;
  }

  /** The calls of a method; empty for one that is not ours. */
  List<Call> callsOf(Method method) {
    return calls.getOrDefault(method, List.of());
  }

  boolean isOurs(Method method) {
    return calls.containsKey(method);
  }

  /** The package of a method of ours, with slashes. */
  String packageOf(Method method) {
    return packages.getOrDefault(method.type(), "");
  }

  boolean isOfPackage(Method method, String name) {
    return packageOf(method).equals(name);
  }

  /** The fields of a type, with their classes' names. */
  List<String> fieldsOfType(String type) {
    return fields.stream().filter(f -> f.type().equals(type)).map(Field::name).toList();
  }

  /** Who calls a method directly. */
  List<Method> callersOf(Method target) {
    return calls.entrySet().stream()
        .filter(e -> e.getValue().stream().anyMatch(c -> c.direct() && c.target().equals(target)))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The methods that a call may end in: the one named, and those that override it. */
  List<Method> resolve(Method named) {
    List<Method> all = new ArrayList<>();
    for (String type = named.type(); type != null; type = supertypes.get(type)) {
      Method declared = new Method(type, named.name());
      if (calls.containsKey(declared)) {
        all.add(declared);
        break;
      }
    }
    supertypes.keySet().stream()
        .filter(type -> isBelow(type, named.type()))
        .map(type -> new Method(type, named.name()))
        .filter(calls::containsKey)
        .forEach(all::add);
    return all.isEmpty() ? List.of(named) : all;
  }

  private boolean isBelow(String type, String above) {
    for (String t = supertypes.get(type); t != null; t = supertypes.get(t)) {
      if (t.equals(above)) {
        return true;
      }
    }
    return false;
  }

  private void classesBeside(Class<?> member) {
    try {
      URI place = member.getProtectionDomain().getCodeSource().getLocation().toURI();
      if (Files.isDirectory(Path.of(place))) {
        read(Path.of(place));
      } else {
        try (FileSystem jar = FileSystems.newFileSystem(Path.of(place))) {
          read(jar.getPath("/"));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The classes can't be read.", e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private void read(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        read(ClassFile.of().parse(Files.readAllBytes(file)));
      }
    }
  }

  private void read(ClassModel type) {
    String name = simple(type.thisClass().asInternalName());
    String internal = type.thisClass().asInternalName();
    packages.put(name, internal.substring(0, internal.lastIndexOf('/')));
    type.superclass().ifPresent(s -> supertypes.put(name, simple(s.asInternalName())));
    type.fields()
        .forEach(
            f ->
                fields.add(
                    new Field(
                        name + "." + f.fieldName().stringValue(),
                        simple(f.fieldType().stringValue()))));
    for (MethodModel method : type.methods()) {
      calls
          .computeIfAbsent(
              new Method(name, method.methodName().stringValue()), m -> new ArrayList<>())
          .addAll(callsIn(method));
    }
  }

  private static List<Call> callsIn(MethodModel method) {
    List<Call> found = new ArrayList<>();
    if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
      found.add(new Call(MONITOR, true));
    }
    method.code().stream()
        .flatMap(code -> code.elementStream())
        .forEach(
            element -> {
              switch (element) {
                case InvokeInstruction call ->
                    found.add(
                        new Call(
                            new Method(
                                simple(call.owner().asInternalName()), call.name().stringValue()),
                            true));
                case InvokeDynamicInstruction call ->
                    call.bootstrapArgs().stream()
                        .filter(DirectMethodHandleDesc.class::isInstance)
                        .map(DirectMethodHandleDesc.class::cast)
                        .map(h -> new Method(simple(h.owner().descriptorString()), h.methodName()))
                        .forEach(target -> found.add(new Call(target, false)));
                case MonitorInstruction monitor -> {
                  if (monitor.opcode() == java.lang.classfile.Opcode.MONITORENTER) {
                    found.add(new Call(MONITOR, true));
                  }
                }
                default -> {}
              }
            });
    return found;
  }

  /** Class names are told apart by their last part; the main code has no two alike. */
  private static String simple(String internal) {
    String stripped =
        internal.endsWith(";") ? internal.substring(1, internal.length() - 1) : internal;
    return stripped.substring(stripped.lastIndexOf('/') + 1).replace('$', '.');
  }
}
