(* Every tape of at most N bits on which a sampler decides, as the tree of its tosses:

     sampler arguments: tree        tree ::= * tree tree | outcome | .

   `*` is a toss (first what follows a 0, then what follows a 1), `.` is undecided after N bits.
   usage: list N *)
open Samplers

let rounds = 64

let rec print bits tree show =
  match tree with
  | Done a -> print_string (show a)
  | Open -> failwith "out of rounds"
  | Toss _ when bits = 0 -> print_string "."
  | Toss k -> print_string "*"; print (bits - 1) (k false) show; print (bits - 1) (k true) show

let number n = string_of_int n ^ " "
let truth b = if b then "y" else "n"
let sign (negative, n) = if negative then -n else n
let signed z = number (sign z)
let numbers l = String.concat "," (List.map string_of_int l)
let lazily (whole, words) = Printf.sprintf "%d.%s " whole (numbers words)
let vector l = numbers (List.map sign l) ^ " "

let () =
  let bits = int_of_string Sys.argv.(1) in
  let line name tree show = print_string (name ^ ": "); print bits tree show; print_newline () in
  List.iter (fun last -> line (Printf.sprintf "uniform %d" last) (uniform_up_to rounds last) number)
    [0; 1; 2; 3; 4; 5; 6; 9; 12; 17];
  List.iter (fun (p, q) -> line (Printf.sprintf "bernoulli %d %d" p q) (bernoulli rounds p q) truth)
    [(0, 1); (1, 1); (1, 2); (2, 3); (3, 5); (7, 11)];
  List.iter (fun (p, q) -> line (Printf.sprintf "exp %d %d" p q) (bernoulli_exp rounds p q) truth)
    [(0, 1); (1, 1); (1, 2); (1, 3); (5, 3); (3, 1); (7, 4)];
  List.iter (fun (t, s) -> line (Printf.sprintf "laplace %d %d" t s) (discrete_laplace rounds t s) signed)
    [(1, 1); (1, 2); (2, 1); (3, 2); (5, 2); (4, 3)];
  List.iter (fun w -> line (Printf.sprintf "exponential %d" w) (exponential rounds w) lazily) [1; 2; 3];
  List.iter (fun (s, w) -> line (Printf.sprintf "normal %d %d" s w) (rounded_normal rounds w s) signed)
    [(1, 1); (3, 2); (10, 3)];
  List.iter (fun (s, w) -> line (Printf.sprintf "sized %d %d" s w) (rounded_laplace rounds w s) signed)
    [(1, 1); (3, 2); (10, 3)];
  List.iter (fun (s, k, w) -> line (Printf.sprintf "cube %d %d %d" s k w) (cube_laplace rounds w s k) vector)
    [(1, 1, 1); (5, 1, 2); (8, 2, 1)]
