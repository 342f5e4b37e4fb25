"""The product of this example in Django: a sketch to count lines, which was written out and not run.

Django 5.2, Django REST framework, django-filter, django-allauth with its headless API, django-invitations, django-simple-history,
django-eventstream, djangorestframework-api-key, django-mcp-server, PostgreSQL for the exclusion constraint. Imports, `urls.py` and
settings are counted where a part needs them; templates, translations and migrations, which a command writes, are not.
"""

# part: companies, members, roles
from django.contrib.auth.models import User
from django.db import models


class Company(models.Model):
    name = models.CharField(max_length=100, unique=True)


class Member(models.Model):
    class Role(models.TextChoices):
        MANAGER = "manager"
        MEMBER = "member"
        GUEST = "guest"

    company = models.ForeignKey(Company, models.PROTECT)
    user = models.ForeignKey(User, models.PROTECT)
    name = models.CharField(max_length=100, blank=True)
    role = models.CharField(max_length=10, choices=Role)
    calendar_key = models.UUIDField(unique=True, null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["company", "user"], name="member_of_company")]

    def save(self, *args, **kwargs):
        with transaction.atomic():
            managers = Member.objects.select_for_update().filter(company=self.company, role=self.Role.MANAGER)
            if self.pk and self.role != self.Role.MANAGER and list(managers) == [self]:
                raise ValidationError("a company keeps its last manager")
            super().save(*args, **kwargs)


class TenantMiddleware:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        request.member = None
        if request.user.is_authenticated:
            company = request.session.get("company")
            members = Member.objects.filter(user=request.user).select_related("company")
            request.member = members.filter(company=company).first() or members.first()
        return self.get_response(request)


class OfCompany(viewsets.ModelViewSet):
    """Each query is of the caller's company: a view that forgets this base shows everything."""

    reads = Member.Role.GUEST
    writes = Member.Role.MANAGER
    ranks = [Member.Role.GUEST, Member.Role.MEMBER, Member.Role.MANAGER]

    def get_queryset(self):
        return super().get_queryset().filter(company=self.request.member.company)

    def perform_create(self, serializer):
        serializer.save(company=self.request.member.company)

    def check_permissions(self, request):
        super().check_permissions(request)
        least = self.reads if request.method in SAFE_METHODS else self.writes
        if not request.member or self.ranks.index(request.member.role) < self.ranks.index(least):
            self.permission_denied(request)


class CompanyKeyField(serializers.PrimaryKeyRelatedField):
    """A reference to a record of the caller's company."""

    def get_queryset(self):
        return super().get_queryset().filter(company=self.context["request"].member.company)


class CompanySerializer(serializers.ModelSerializer):
    class Meta:
        model = Company
        fields = ["id", "name"]


class CompanyView(viewsets.ModelViewSet):
    serializer_class = CompanySerializer
    permission_classes = [IsAuthenticated]

    def get_queryset(self):
        user = self.request.user
        return Company.objects.all() if user.is_staff else Company.objects.filter(member__user=user)

    def check_permissions(self, request):
        super().check_permissions(request)
        if request.method not in SAFE_METHODS and not request.user.is_staff:
            self.permission_denied(request)


class MemberSerializer(serializers.ModelSerializer):
    class Meta:
        model = Member
        fields = ["id", "user", "name", "role"]


class MemberView(OfCompany):
    queryset = Member.objects.all()
    serializer_class = MemberSerializer

    def get_queryset(self):
        members = super().get_queryset()
        me = self.request.member
        return members.filter(pk=me.pk) if me.role == Member.Role.GUEST else members


@api_view(["POST"])
def enter_company(request):
    member = get_object_or_404(Member, user=request.user, company=request.data["tenant"])
    request.session["company"] = member.company_id
    return Response({"tenant": member.company_id})


# part: places, equipment, floor plans
from zoneinfo import available_timezones


class Location(models.Model):
    company = models.ForeignKey(Company, models.PROTECT)
    name = models.CharField(max_length=100)
    address = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=64, choices=[(zone, zone) for zone in sorted(available_timezones())])
    floor_plan = models.FileField(null=True, upload_to="plans", validators=[FileExtensionValidator(["png", "jpg", "pdf"])])

    class Meta:
        constraints = [models.UniqueConstraint(fields=["company", "name"], name="location_name")]


class Equipment(models.Model):
    company = models.ForeignKey(Company, models.PROTECT)
    name = models.CharField(max_length=60)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["company", "name"], name="equipment_name")]


class Room(models.Model):
    class Kind(models.TextChoices):
        ROOM = "room"
        DESK = "desk"

    company = models.ForeignKey(Company, models.PROTECT)
    location = models.ForeignKey(Location, models.PROTECT)
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind)
    capacity = models.IntegerField(validators=[MinValueValidator(1), MaxValueValidator(1000)])
    needs_approval = models.BooleanField(default=False)
    display_key = models.UUIDField(unique=True, null=True, editable=False)
    equipment = models.ManyToManyField(Equipment, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["company", "name"], name="room_name")]


class LocationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Location
        fields = ["id", "name", "address", "time_zone", "floor_plan"]

    def validate_floor_plan(self, file):
        if file and file.size > 10_000_000:
            raise serializers.ValidationError("at most 10 MB")
        if file and magic.from_buffer(file.read(2048), mime=True) not in ["image/png", "image/jpeg", "application/pdf"]:
            raise serializers.ValidationError("a picture or a PDF")
        return file


class LocationView(OfCompany):
    queryset = Location.objects.order_by("name")
    serializer_class = LocationSerializer
    filterset_fields = ["name"]

    @action(detail=True)
    def plan(self, request, pk):
        return FileResponse(self.get_object().floor_plan.open())


class EquipmentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Equipment
        fields = ["id", "name"]


class EquipmentView(OfCompany):
    queryset = Equipment.objects.order_by("name")
    serializer_class = EquipmentSerializer
    filterset_fields = ["name"]


class RoomSerializer(serializers.ModelSerializer):
    location = CompanyKeyField(queryset=Location.objects.all())
    equipment = CompanyKeyField(queryset=Equipment.objects.all(), many=True)

    class Meta:
        model = Room
        fields = ["id", "location", "name", "kind", "capacity", "needs_approval", "equipment"]


class RoomView(OfCompany):
    queryset = Room.objects.order_by("name").prefetch_related("equipment")
    serializer_class = RoomSerializer
    filterset_fields = {"name": ["exact", "icontains"], "kind": ["exact"], "location": ["exact"], "capacity": ["exact", "gte", "lte"]}
    ordering_fields = ["name", "capacity"]


# part: bookings: states, no overlap, rights
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeBoundary, RangeOperators


class TsTzRange(models.Func):
    function = "TSTZRANGE"
    output_field = DateTimeRangeField()


class Booking(models.Model):
    class Status(models.TextChoices):
        REQUESTED = "requested"
        APPROVED = "approved"
        WAITING = "waiting"
        DECLINED = "declined"
        CANCELLED = "cancelled"

    HOLDING = [Status.REQUESTED, Status.APPROVED]

    company = models.ForeignKey(Company, models.PROTECT)
    room = models.ForeignKey(Room, models.PROTECT)
    member = models.ForeignKey(Member, models.PROTECT)
    series = models.ForeignKey("Series", models.PROTECT, null=True)
    title = models.CharField(max_length=200)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    status = models.CharField(max_length=10, choices=Status)
    or_wait = models.BooleanField(default=False)
    participants = models.ManyToManyField(Member, related_name="invited_to", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    history = HistoricalRecords()

    class Meta:
        indexes = [models.Index(fields=["room", "starts_at"]), models.Index(fields=["starts_at"])]
        constraints = [
            models.CheckConstraint(condition=models.Q(starts_at__lt=models.F("ends_at")), name="starts_before_end"),
            ExclusionConstraint(
                name="no_overlap",
                expressions=[
                    ("room", RangeOperators.EQUAL),
                    (TsTzRange("starts_at", "ends_at", RangeBoundary()), RangeOperators.OVERLAPS),
                ],
                condition=models.Q(status__in=["requested", "approved"]),
            ),
        ]


class BookingSerializer(serializers.ModelSerializer):
    room = CompanyKeyField(queryset=Room.objects.all())
    member = CompanyKeyField(queryset=Member.objects.all(), required=False)
    participants = CompanyKeyField(queryset=Member.objects.all(), many=True, required=False)

    class Meta:
        model = Booking
        fields = ["id", "room", "member", "series", "title", "starts_at", "ends_at", "status", "or_wait", "participants", "updated_at"]
        read_only_fields = ["series", "status"]

    def validate(self, data):
        start, end = (data.get(name, getattr(self.instance, name, None)) for name in ["starts_at", "ends_at"])
        if start >= end:
            raise serializers.ValidationError({"ends_at": "must be after starts_at"})
        return data


class BookingFilter(filters.FilterSet):
    on = filters.DateFilter(method="on_day")

    class Meta:
        model = Booking
        fields = {
            "room": ["exact", "in"], "member": ["exact"], "series": ["exact"], "room__location": ["exact"],
            "starts_at": ["lt", "gte"], "ends_at": ["gt"], "status": ["exact", "in"],
        }

    def on_day(self, bookings, name, day):
        """The day of each location's clock."""
        found = models.Q(pk__in=[])
        for location in Location.objects.filter(company=self.request.member.company):
            zone = ZoneInfo(location.time_zone)
            start, end = (datetime.combine(date, time.min, zone) for date in [day, day + timedelta(days=1)])
            found |= models.Q(room__location=location, starts_at__gte=start, starts_at__lt=end)
        return bookings.filter(found)


def conflict(booking, request):
    """409 which names the other booking where the caller may see it."""
    others = Booking.objects.filter(room=booking.room, starts_at__lt=booking.ends_at, ends_at__gt=booking.starts_at)
    other = visible(others.filter(status__in=Booking.HOLDING).exclude(pk=booking.pk), request.member).first()
    return Response({"code": "overlaps", "field": "starts_at", "id": other and other.pk}, status=409)


def visible(bookings, member):
    if member.role != Member.Role.GUEST:
        return bookings
    return bookings.filter(participants=member)


class BookingView(OfCompany):
    queryset = Booking.objects.order_by("starts_at").select_related("room", "member")
    serializer_class = BookingSerializer
    filterset_class = BookingFilter
    search_fields = ["title"]
    writes = Member.Role.MEMBER
    http_method_names = ["get", "post", "patch"]

    def get_queryset(self):
        return visible(super().get_queryset(), self.request.member)

    def get_object(self):
        booking, me = super().get_object(), self.request.member
        if self.request.method not in SAFE_METHODS and me.role != Member.Role.MANAGER and booking.member != me:
            self.permission_denied(self.request)
        return booking

    def create(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        me, data = request.member, serializer.validated_data
        member = data.pop("member", me) if me.role == Member.Role.MANAGER else me
        participants = data.pop("participants", [])
        status = Booking.Status.WAITING if data.get("or_wait") else first_state(data["room"])
        booking = Booking(company=me.company, **{**data, "member": member, "status": status})
        try:
            with transaction.atomic():
                booking.save()
                booking.participants.set(participants)
                move_up(booking.room, booking.starts_at, booking.ends_at)
        except IntegrityError:
            return conflict(booking, request)
        booking.refresh_from_db()
        return Response(self.get_serializer(booking).data, status=201)

    def partial_update(self, request, pk):
        with transaction.atomic():
            booking = get_object_or_404(self.get_queryset().select_for_update(of=["self"]), pk=self.get_object().pk)
            if request.headers.get("If-Match") not in [None, etag(booking)]:
                return Response({"code": "precondition_failed"}, status=412)
            freed = booking.room, booking.starts_at, booking.ends_at
            serializer = self.get_serializer(booking, data=request.data, partial=True)
            serializer.is_valid(raise_exception=True)
            try:
                with transaction.atomic():
                    serializer.save()
            except IntegrityError:
                return conflict(booking, request)
            move_up(*freed)
        return Response(serializer.data)

    def move(self, states, to, managers_only=False):
        if managers_only and self.request.member.role != Member.Role.MANAGER:
            self.permission_denied(self.request)
        with transaction.atomic():
            booking = Booking.objects.select_for_update().get(pk=self.get_object().pk)
            if booking.status not in states:
                return Response({"code": "state", "detail": f"the booking is {booking.status}"}, status=409)
            booking.status = to
            try:
                with transaction.atomic():
                    booking.save()
            except IntegrityError:
                return conflict(booking, self.request)
            move_up(booking.room, booking.starts_at, booking.ends_at)
        return Response(self.get_serializer(booking).data)

    @action(detail=True, methods=["post"])
    def approve(self, request, pk):
        return self.move(["requested", "waiting"], Booking.Status.APPROVED, managers_only=True)

    @action(detail=True, methods=["post"])
    def decline(self, request, pk):
        return self.move(["requested", "waiting"], Booking.Status.DECLINED, managers_only=True)

    @action(detail=True, methods=["post"])
    def cancel(self, request, pk):
        return self.move(["requested", "approved", "waiting"], Booking.Status.CANCELLED)

    @action(detail=True)
    def history(self, request, pk):
        return Response(list(self.get_object().history.values()))


def etag(booking):
    return f'"{booking.updated_at.timestamp()}"'


# part: waiting list
def first_state(room):
    return Booking.Status.REQUESTED if room.needs_approval else Booking.Status.APPROVED


def move_up(room, start, end):
    waiting = Booking.objects.filter(room=room, status="waiting", starts_at__lt=end, ends_at__gt=max(start, now()))
    for booking in waiting.order_by("created_at"):
        booking.status = first_state(room)
        try:
            with transaction.atomic():
                booking.save()
        except IntegrityError:
            pass


# part: recurring bookings
from dateutil.rrule import rrulestr


class Series(models.Model):
    company = models.ForeignKey(Company, models.PROTECT)
    room = models.ForeignKey(Room, models.PROTECT)
    member = models.ForeignKey(Member, models.PROTECT)
    title = models.CharField(max_length=200)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    rule = models.CharField(max_length=200)
    deleted_at = models.DateTimeField(null=True)

    def times(self):
        zone = ZoneInfo(self.room.location.time_zone)
        first = self.starts_at.astimezone(zone).replace(tzinfo=None)
        times = list(islice(rrulestr(self.rule, dtstart=first), 101))
        if len(times) > 100:
            raise ValueError("has more than 100 times: add COUNT or UNTIL")
        return [time.replace(tzinfo=zone) for time in times]


class SeriesSerializer(serializers.ModelSerializer):
    room = CompanyKeyField(queryset=Room.objects.all())

    class Meta:
        model = Series
        fields = ["id", "room", "member", "title", "starts_at", "ends_at", "rule"]
        read_only_fields = ["member"]


class SeriesView(OfCompany):
    queryset = Series.objects.filter(deleted_at=None)
    serializer_class = SeriesSerializer
    reads = writes = Member.Role.MEMBER
    http_method_names = ["get", "post", "delete"]

    def create(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        me = request.member
        try:
            with transaction.atomic():
                series = serializer.save(company=me.company, member=me)
                length = series.ends_at - series.starts_at
                for start in series.times():
                    booking = Booking(
                        company=me.company, room=series.room, member=me, series=series, title=series.title,
                        starts_at=start, ends_at=start + length, status=first_state(series.room),
                    )
                    booking.save()
        except ValueError as error:
            return Response({"rule": [str(error)]}, status=400)
        except IntegrityError:
            return conflict(booking, request)
        return Response(serializer.data, status=201)

    def perform_destroy(self, series):
        if self.request.member.role != Member.Role.MANAGER and series.member != self.request.member:
            self.permission_denied(self.request)
        with transaction.atomic():
            series.deleted_at = now()
            series.save()
            for booking in series.booking_set.filter(starts_at__gt=now(), status__in=["requested", "approved", "waiting"]):
                booking.status = Booking.Status.CANCELLED
                booking.save()
                move_up(booking.room, booking.starts_at, booking.ends_at)


# part: comments
class Comment(models.Model):
    company = models.ForeignKey(Company, models.PROTECT)
    booking = models.ForeignKey(Booking, models.CASCADE)
    author = models.ForeignKey(User, models.PROTECT)
    text = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    history = HistoricalRecords()


class CommentSerializer(serializers.ModelSerializer):
    booking = CompanyKeyField(queryset=Booking.objects.all())

    class Meta:
        model = Comment
        fields = ["id", "booking", "author", "text", "created_at"]
        read_only_fields = ["author"]


class CommentView(OfCompany):
    queryset = Comment.objects.order_by("created_at")
    serializer_class = CommentSerializer
    filterset_fields = ["booking", "author"]
    reads = writes = Member.Role.MEMBER

    def perform_create(self, serializer):
        serializer.save(company=self.request.member.company, author=self.request.user)

    def get_object(self):
        comment = super().get_object()
        is_own = comment.author == self.request.user and comment.created_at > now() - timedelta(minutes=15)
        if self.request.method not in SAFE_METHODS and not is_own:
            self.permission_denied(self.request)
        return comment


# part: sensors with keys
from rest_framework_api_key.models import AbstractAPIKey


class SensorKey(AbstractAPIKey):
    company = models.ForeignKey(Company, models.CASCADE)


class HasSensorKey(BaseHasAPIKey):
    model = SensorKey


class Reading(models.Model):
    company = models.ForeignKey(Company, models.PROTECT)
    room = models.ForeignKey(Room, models.PROTECT)
    people = models.IntegerField(validators=[MinValueValidator(0), MaxValueValidator(10_000)])
    celsius = models.FloatField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)


class ReadingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reading
        fields = ["id", "room", "people", "celsius", "created_at"]


class ReadingView(OfCompany):
    queryset = Reading.objects.order_by("-created_at")
    serializer_class = ReadingSerializer
    filterset_fields = {"room": ["exact"], "created_at": ["lt", "gte"]}
    reads = Member.Role.MEMBER
    http_method_names = ["get"]


class ReportView(CreateAPIView):
    serializer_class = ReadingSerializer
    permission_classes = [HasSensorKey]

    def perform_create(self, serializer):
        key = SensorKey.objects.get_from_key(self.request.META["HTTP_AUTHORIZATION"].split()[1])
        if serializer.validated_data["room"].company != key.company:
            raise PermissionDenied
        serializer.save(company=key.company)


class KeyView(APIView):
    def post(self, request):
        if request.member.role != Member.Role.MANAGER:
            self.permission_denied(request)
        _, key = SensorKey.objects.create_key(name=request.data["name"], company=request.member.company)
        return Response({"key": key}, status=201)

    def delete(self, request, pk):
        get_object_or_404(SensorKey, pk=pk, company=request.member.company).delete()
        return Response(status=204)


# part: calendar and display
from icalendar import Calendar, Event


@api_view(["POST"])
def calendar_link(request):
    Member.objects.filter(pk=request.member.pk).update(calendar_key=(key := uuid4()))
    return Response({"url": f"/calendar/{key}/bookings.ics"})


def calendar(request, key):
    member = get_object_or_404(Member, calendar_key=key)
    bookings = Booking.objects.filter(models.Q(member=member) | models.Q(participants=member)).distinct()
    calendar = Calendar()
    calendar.add("prodid", "-//Booking//EN")
    calendar.add("version", "2.0")
    for booking in bookings.filter(status__in=Booking.HOLDING, ends_at__gt=now() - timedelta(days=30)).select_related("room"):
        event = Event()
        event.add("uid", f"booking-{booking.pk}@booking")
        event.add("summary", booking.title)
        event.add("location", booking.room.name)
        event.add("dtstart", booking.starts_at)
        event.add("dtend", booking.ends_at)
        event.add("dtstamp", booking.updated_at)
        event.add("status", "CONFIRMED" if booking.status == "approved" else "TENTATIVE")
        calendar.add_component(event)
    return HttpResponse(calendar.to_ical(), content_type="text/calendar; charset=utf-8")


@api_view(["POST"])
def display_link(request, pk):
    if request.member.role != Member.Role.MANAGER:
        raise PermissionDenied
    room = get_object_or_404(Room, pk=pk, company=request.member.company)
    Room.objects.filter(pk=room.pk).update(display_key=(key := uuid4()))
    return Response({"url": f"/display/{key}"})


@api_view()
@permission_classes([AllowAny])
def display(request, key):
    room = get_object_or_404(Room.objects.select_related("location"), display_key=key)
    zone = ZoneInfo(room.location.time_zone)
    day = date.fromisoformat(request.GET["on"]) if "on" in request.GET else now().astimezone(zone).date()
    start, end = (datetime.combine(one, time.min, zone) for one in [day, day + timedelta(days=1)])
    bookings = Booking.objects.filter(room=room, status__in=Booking.HOLDING, starts_at__lt=end, ends_at__gt=start)
    times = [{"starts_at": one.starts_at, "ends_at": one.ends_at} for one in bookings.order_by("starts_at")]
    return Response({"room": room.name, "location": room.location.name, "day": day, "now": now(), "bookings": times})


# part: utilisation
@api_view()
def utilisation(request):
    if request.member.role == Member.Role.GUEST:
        raise PermissionDenied
    zone = ZoneInfo(request.GET.get("tz", "UTC"))
    bookings = Booking.objects.filter(company=request.member.company, status="approved")
    week = TruncWeek("starts_at", tzinfo=zone)
    minutes = models.Sum(models.F("ends_at") - models.F("starts_at"))
    return Response(list(bookings.annotate(week=week).values("room", "week").annotate(time=minutes)))


# part: accounts, invitations
INSTALLED_ACCOUNTS = ["allauth", "allauth.account", "allauth.mfa", "allauth.headless", "allauth.usersessions", "invitations"]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_ADAPTER = "booking.InvitedAdapter"


class Invitation(AbstractBaseInvitation):
    company = models.ForeignKey(Company, models.CASCADE)
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Member.Role)


class InvitedAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request):
        return Invitation.objects.filter(key=request.session.get("invitation"), accepted=False).exists()

    def save_user(self, request, user, form, commit=True):
        user = super().save_user(request, user, form, commit)
        accept(Invitation.objects.get(key=request.session["invitation"]), user)
        return user


def accept(invitation, user):
    Member.objects.create(company=invitation.company, user=user, role=invitation.role)
    invitation.accepted = True
    invitation.save()


@api_view(["POST"])
def invite(request):
    if request.member.role != Member.Role.MANAGER:
        raise PermissionDenied
    invitation = Invitation.create(
        request.data["email"], inviter=request.user, company=request.member.company, role=request.data["role"]
    )
    invitation.send_invitation(request)
    return Response(status=201)


# part: live
INSTALLED_LIVE = ["daphne", "django_eventstream"]
EVENTSTREAM_CHANNELMANAGER_CLASS = "booking.Channels"


class Channels(DefaultChannelManager):
    def can_read_channel(self, user, channel):
        _, company, guest = channel.split("-")
        members = Member.objects.filter(user=user, company=company)
        return members.filter(pk=guest).exists() if guest != "all" else members.exclude(role="guest").exists()


@receiver(post_save, sender=Booking)
def booking_changed(instance, **kwargs):
    def send():
        body = BookingSerializer(instance).data
        guests = instance.participants.filter(role="guest").values_list("pk", flat=True)
        for reader in ["all", *guests]:
            send_event(f"bookings-{instance.company_id}-{reader}", "booking", body)

    transaction.on_commit(send)


# part: admin page
class OfCompanyAdmin(SimpleHistoryAdmin):
    exclude = ["company"]

    def get_queryset(self, request):
        return super().get_queryset(request).filter(company=request.member.company)

    def save_model(self, request, record, form, change):
        record.company = request.member.company
        super().save_model(request, record, form, change)

    def formfield_for_foreignkey(self, field, request, **kwargs):
        kwargs["queryset"] = field.related_model.objects.filter(company=request.member.company)
        return super().formfield_for_foreignkey(field, request, **kwargs)

    def has_module_permission(self, request):
        return bool(request.member) and request.member.role == Member.Role.MANAGER

    has_view_permission = has_change_permission = has_add_permission = has_delete_permission = (
        lambda self, request, record=None: self.has_module_permission(request)
    )


class BookingAdmin(OfCompanyAdmin):
    list_display = ["title", "room", "starts_at", "ends_at", "status", "member"]
    list_filter = ["status", "room"]
    search_fields = ["title"]
    readonly_fields = ["status"]
    actions = ["approve", "decline", "cancel"]

    def move(self, request, bookings, states, to):
        for booking in bookings.filter(status__in=states):
            booking.status = to
            try:
                with transaction.atomic():
                    booking.save()
                    move_up(booking.room, booking.starts_at, booking.ends_at)
            except IntegrityError:
                self.message_user(request, f"{booking.title}: the time is taken", messages.ERROR)

    def approve(self, request, bookings):
        self.move(request, bookings, ["requested", "waiting"], "approved")

    def decline(self, request, bookings):
        self.move(request, bookings, ["requested", "waiting"], "declined")

    def cancel(self, request, bookings):
        self.move(request, bookings, ["requested", "approved", "waiting"], "cancelled")


admin.site.register([Location, Room, Equipment, Member, Comment, Reading, Series], OfCompanyAdmin)
admin.site.register(Booking, BookingAdmin)


# part: agents
class BookingTools(MCPToolset):
    def _call(self, view, method, **kwargs):
        request = self.request
        return view.as_view({request.method.lower(): method})(request, **kwargs).data

    def find_rooms(self, location: int | None = None, capacity: int = 1):
        """Rooms with at least this capacity."""
        return self._call(RoomView, "list", location=location, capacity__gte=capacity)

    def find_bookings(self, room: int, on: str):
        """Bookings of a room on a day such as 2026-11-28."""
        return self._call(BookingView, "list", room=room, on=on)

    def book(self, room: int, title: str, starts_at: str, ends_at: str):
        """Books a room, or says which booking has the time."""
        return self._call(BookingView, "create", room=room, title=title, starts_at=starts_at, ends_at=ends_at)

    def cancel(self, booking: int):
        """Cancels a booking of the user."""
        return self._call(BookingView, "cancel", pk=booking)


# part: routes, seed, start
router = DefaultRouter()
for prefix, view in [
    ("companies", CompanyView), ("members", MemberView), ("locations", LocationView), ("rooms", RoomView),
    ("equipment", EquipmentView), ("bookings", BookingView), ("series", SeriesView), ("comments", CommentView),
    ("readings", ReadingView),
]:
    router.register(prefix, view)
urlpatterns = [
    path("", include(router.urls)),
    path("auth/tenant", enter_company),
    path("auth/keys", KeyView.as_view()),
    path("auth/keys/<pk>", KeyView.as_view()),
    path("auth/invitations", invite),
    path("accounts/", include("allauth.urls")),
    path("_allauth/", include("allauth.headless.urls")),
    path("report", ReportView.as_view()),
    path("calendar", calendar_link),
    path("calendar/<uuid:key>/bookings.ics", calendar),
    path("rooms/<int:pk>/display", display_link),
    path("display/<uuid:key>/day", display),
    path("utilisation", utilisation),
    path("events/<channel>", include("django_eventstream.urls")),
    path("schema", SpectacularAPIView.as_view()),
    path("mcp", include("mcp_server.urls")),
    path("admin/", admin.site.urls),
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["allauth.headless.contrib.rest_framework.authentication.XSessionTokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend", "rest_framework.filters.SearchFilter"],
    "PAGE_SIZE": 50,
}


class Command(BaseCommand):
    def handle(self, **options):
        if Company.objects.exists():
            return
        with transaction.atomic():
            call_command("loaddata", "seed.json")
            monday = now().date() - timedelta(days=now().weekday())
            shift = monday - date(2026, 1, 5)
            for one in [*Booking.objects.all(), *Series.objects.all()]:
                one.starts_at, one.ends_at = one.starts_at + shift, one.ends_at + shift
                one.save()
