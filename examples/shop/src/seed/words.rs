//! Words for the generated catalogue.

/// A category and the nouns of its products.
pub(super) struct Shelf {
    pub(super) category: &'static str,
    pub(super) description: &'static str,
    /// The lowest and the highest price, in whole units.
    pub(super) prices: (u32, u32),
    pub(super) nouns: &'static [&'static str],
}

const fn shelf(
    category: &'static str,
    description: &'static str,
    prices: (u32, u32),
    nouns: &'static [&'static str],
) -> Shelf {
    Shelf { category, description, prices, nouns }
}

pub(super) const ADJECTIVES: [&str; 24] = [
    "Alpine",
    "Arctic",
    "Classic",
    "Compact",
    "Crimson",
    "Deluxe",
    "Essential",
    "Everyday",
    "Foldable",
    "Heritage",
    "Lightweight",
    "Lunar",
    "Nordic",
    "Onyx",
    "Premium",
    "Pro",
    "Quiet",
    "Rugged",
    "Sierra",
    "Silver",
    "Slim",
    "Studio",
    "Urban",
    "Vintage",
];

/// Series of models. The name of a model begins with one.
pub(super) const SERIES: [&str; 8] = ["A", "C", "K", "LX", "M", "R", "TX", "Z"];

pub(super) const SHELVES: [Shelf; 40] = [
    shelf(
        "Laptops",
        "Notebooks and ultrabooks for work, study and play",
        (499, 3299),
        &["Notebook", "Ultrabook", "Workstation", "Convertible"],
    ),
    shelf(
        "Monitors",
        "Displays from 22 inches upwards",
        (119, 1499),
        &["Monitor", "Curved Display", "Portable Screen"],
    ),
    shelf("Keyboards", "Mechanical and membrane keyboards", (19, 249), &["Keyboard", "Numpad", "Compact Keyboard"]),
    shelf(
        "Mice & Trackballs",
        "Pointing devices, wired and wireless",
        (12, 159),
        &["Mouse", "Trackball", "Vertical Mouse"],
    ),
    shelf("Headphones", "Over-ear, on-ear and in-ear headphones", (25, 599), &["Headphones", "Earbuds", "Headset"]),
    shelf(
        "Speakers",
        "Loudspeakers for the desk and the living room",
        (29, 1299),
        &["Bluetooth Speaker", "Soundbar", "Bookshelf Speaker"],
    ),
    shelf("Smartphones", "Telephones without a contract", (149, 1499), &["Smartphone", "Rugged Phone"]),
    shelf("Tablets", "Tablets and e-readers", (99, 1399), &["Tablet", "E-Reader", "Drawing Tablet"]),
    shelf(
        "Cameras",
        "System cameras and compact cameras",
        (199, 3999),
        &["Mirrorless Camera", "Compact Camera", "Action Camera"],
    ),
    shelf("Lenses", "Lenses for system cameras", (149, 2499), &["Prime Lens", "Zoom Lens", "Macro Lens"]),
    shelf(
        "Storage",
        "Solid-state drives, hard disks and memory cards",
        (15, 899),
        &["SSD", "Hard Disk", "Memory Card", "USB Stick"],
    ),
    shelf("Networking", "Routers, switches and cables", (9, 499), &["Router", "Switch", "Access Point", "Patch Cable"]),
    shelf("Printers", "Printers and scanners", (79, 899), &["Laser Printer", "Inkjet Printer", "Document Scanner"]),
    shelf(
        "Coffee",
        "Coffee makers and grinders",
        (19, 1899),
        &["Espresso Machine", "Coffee Grinder", "French Press", "Moka Pot"],
    ),
    shelf("Cookware", "Pots and pans", (15, 399), &["Frying Pan", "Saucepan", "Dutch Oven", "Wok"]),
    shelf(
        "Kitchen Knives",
        "Knives and what keeps them sharp",
        (9, 349),
        &["Chef's Knife", "Bread Knife", "Paring Knife", "Whetstone"],
    ),
    shelf(
        "Small Appliances",
        "Kettles, toasters, blenders",
        (19, 499),
        &["Kettle", "Toaster", "Blender", "Stand Mixer"],
    ),
    shelf("Tableware", "Plates, glasses and cutlery", (4, 199), &["Dinner Plate", "Wine Glass", "Cutlery Set", "Mug"]),
    shelf("Bedding", "Pillows, blankets and sheets", (15, 399), &["Pillow", "Duvet", "Bed Sheet", "Blanket"]),
    shelf("Lighting", "Lamps for every room", (12, 599), &["Desk Lamp", "Floor Lamp", "Pendant Light", "Light Bulb"]),
    shelf("Office Chairs", "Chairs to sit in all day", (89, 1199), &["Office Chair", "Stool", "Kneeling Chair"]),
    shelf(
        "Desks",
        "Desks, fixed and height-adjustable",
        (129, 1299),
        &["Standing Desk", "Writing Desk", "Corner Desk"],
    ),
    shelf("Shelving", "Shelves and cabinets", (25, 699), &["Bookcase", "Wall Shelf", "Cabinet"]),
    shelf("Stationery", "Pens, paper and notebooks", (1, 89), &["Fountain Pen", "Sketchbook", "Pencil Set", "Stapler"]),
    shelf("Backpacks", "Bags for the city and the mountains", (29, 349), &["Backpack", "Daypack", "Messenger Bag"]),
    shelf("Luggage", "Suitcases and travel bags", (49, 699), &["Suitcase", "Cabin Trolley", "Travel Bag"]),
    shelf("Tents", "Tents and shelters", (59, 1199), &["Dome Tent", "Tunnel Tent", "Tarp"]),
    shelf("Sleeping Bags", "Sleeping bags and mats", (29, 599), &["Sleeping Bag", "Sleeping Mat", "Bivvy Bag"]),
    shelf("Hiking Boots", "Boots and trail shoes", (69, 389), &["Hiking Boot", "Trail Shoe", "Approach Shoe"]),
    shelf("Jackets", "Rain jackets, down jackets, fleeces", (39, 649), &["Rain Jacket", "Down Jacket", "Fleece"]),
    shelf(
        "Bicycles",
        "Bicycles for town, road and forest",
        (299, 5999),
        &["City Bike", "Gravel Bike", "Mountain Bike", "Folding Bike"],
    ),
    shelf("Bicycle Parts", "Parts and tools for bicycles", (3, 499), &["Saddle", "Chain", "Handlebar", "Pedal Set"]),
    shelf(
        "Fitness",
        "Weights, mats and bands",
        (5, 899),
        &["Kettlebell", "Yoga Mat", "Dumbbell Pair", "Rowing Machine"],
    ),
    shelf(
        "Garden Tools",
        "Tools for beds, lawns and hedges",
        (7, 599),
        &["Spade", "Hedge Trimmer", "Lawn Mower", "Rake"],
    ),
    shelf(
        "Power Tools",
        "Drills, saws and grinders",
        (39, 799),
        &["Cordless Drill", "Circular Saw", "Angle Grinder", "Sander"],
    ),
    shelf(
        "Hand Tools",
        "Hammers, pliers, screwdrivers",
        (3, 249),
        &["Hammer", "Screwdriver Set", "Pliers", "Spirit Level"],
    ),
    shelf(
        "Toys",
        "Toys for children from three years on",
        (5, 199),
        &["Building Blocks", "Wooden Train", "Plush Bear", "Kite"],
    ),
    shelf(
        "Board Games",
        "Games for two to eight players",
        (9, 129),
        &["Strategy Game", "Card Game", "Puzzle", "Dice Game"],
    ),
    shelf(
        "Musical Instruments",
        "Instruments for beginners and professionals",
        (19, 2999),
        &["Acoustic Guitar", "Digital Piano", "Ukulele", "Cajón"],
    ),
    shelf(
        "Pet Supplies",
        "For dogs, cats and smaller companions",
        (3, 249),
        &["Dog Bed", "Cat Tree", "Feeding Bowl", "Leash"],
    ),
];
